"""The boards for which a bitstream can be built, by name on the command line."""

from .families import FAMILIES

BOARDS = {name: board for family in FAMILIES for name, board in family.BOARDS.items()}
