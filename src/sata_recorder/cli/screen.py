"""What is printed for people: lines that are whole in a pipe, and broken between words in a terminal."""

import re

from rich.console import Console
from rich.text import Text

#: The word that heads a line and the spaces after it; what a long line continues with is below what follows them.
_HEAD = re.compile(r" +|\S{1,8} +")


class Screen(Console):
    """A rich console of which each text is a line, or several with line ends between them.

    A program that reads it gets each line whole. In a terminal one that is too long is broken between words, and
    goes on below its text, not below the word that heads it. All else is printed as by rich.
    """

    def print(self, *objects, **options):
        """As of rich; a single text is printed by the line."""
        if len(objects) == 1 and isinstance(objects[0], (str, Text)):
            text = objects[0] if isinstance(objects[0], Text) else self.render_str(
                objects[0], markup=options.get("markup", True), highlight=options.get("highlight", True))
            objects = (self._broken(text),) if self.is_terminal else (text,)
            options |= {"highlight": False, "soft_wrap": True}
        super().print(*objects, **options)

    def _broken(self, text):
        """The text with line ends where a terminal as wide as this would break it, or another word."""
        found = []
        for line in text.split("\n", allow_blank=True):
            head = _HEAD.match(line.plain)
            at = head.end() if head else 0
            room = self.width - at
            if line.cell_len <= self.width or room < 20:
                found.append(line)
                continue
            first, *rest = line[at:].wrap(self, room)
            found.append(line[:at] + first)
            found += [Text(" " * at) + one for one in rest]
        for line in found:
            line.rstrip()
        return Text("\n").join(found)
