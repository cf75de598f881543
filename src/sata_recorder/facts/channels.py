"""How a packet of a channel begins: two words before its own.

The first word has the number of the channel in bits 3:0, :data:`ENDS` where the channel ends with the packet,
:data:`LOST_AHEAD` where words of the channel were lost just before it, in bits 7:6 how many bytes of its last word do
not belong to it, :data:`MARK` in bits 15:8, and the number of its words in bits 31:16. The second one is the number of
its first word in the channel, modulo 2^32; lost words count.
"""

__all__ = ["ENDS", "HEAD_WORDS", "LOST_AHEAD", "MARK", "MOST_CHANNELS", "MOST_WORDS", "PACKET_WORDS"]

HEAD_WORDS = 2
ENDS, LOST_AHEAD, MARK = 1 << 4, 1 << 5, 0x43
MOST_CHANNELS = 16
#: The most words of a packet: with its head, and what is around it, a frame of 16 sectors.
MOST_WORDS = 2032
#: The words of a packet where nothing else is requested: a frame of 4 sectors.
PACKET_WORDS = 496
