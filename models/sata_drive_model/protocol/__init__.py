"""What the documents fix: primitives, CRC, scrambling, frames and FISes; functions without state.

Serial ATA Revision 3.x, link layer and transport layer.
"""
