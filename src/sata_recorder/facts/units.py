"""Sizes and rates of sectors, dwords and links.

A word is 32 bits, a dword of the link; rates are in hertz and in bytes a second.
"""

__all__ = ["BINS", "CEILINGS", "DWORD_HZ", "GENERATIONS", "LONG_SECTOR_BLOCKS", "LONG_SECTOR_SHIFT",
           "SECTOR_BYTES", "SECTOR_SHIFT", "SECTOR_WORDS", "WORD_BYTES"]

WORD_BYTES = 4
#: A sector, as bytes, as words, and as the shift from one to the other.
SECTOR_BYTES = 512
SECTOR_WORDS = SECTOR_BYTES // WORD_BYTES
SECTOR_SHIFT = SECTOR_WORDS.bit_length() - 1
#: A long logical sector, of 4096 bytes, in sectors of 512, and the shift from those to it.
LONG_SECTOR_BLOCKS = 4096 // SECTOR_BYTES
LONG_SECTOR_SHIFT = LONG_SECTOR_BLOCKS.bit_length() - 1

#: Generations of the link: 1.5, 3 and 6 Gb/s.
GENERATIONS = (1, 2, 3)
#: Dwords a second of each: a dword is 40 bits on the line (Serial ATA Revision 3.x, 8b/10b coding).
DWORD_HZ = {generation: 37.5e6 * (1 << generation - 1) for generation in GENERATIONS}
#: Most payload a link can carry, in bytes a second: two ALIGN in every 256 dwords, and SOF, header,
#: CRC and EOF around the 2048 dwords of the longest Data FIS.
CEILINGS = {generation: WORD_BYTES * hz * 254 / 256 * 2048 / 2052
            for generation, hz in DWORD_HZ.items()}

#: Bins of a histogram of clocks: bin n counts times of 2^n to 2^(n+1) - 1, the last one all longer ones, too.
BINS = 32
