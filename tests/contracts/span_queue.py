"""The spans that a recorder offers while an extent is recorded, and what may become of them."""

__all__ = ["SpanQueue"]

#: Clocks from the one in which a span is taken to ``extended``, at most.
_EXTENDED = 4


class SpanQueue:
    """``coming`` are the spans to offer, (lba, sectors); ``taken`` those that were, ``extensions``
    of which the extent was extended by. ``require`` is called with what has to be true, and a
    sentence."""

    def __init__(self, require):
        self._require = require
        self.coming = []
        self.forget()

    def forget(self):
        """Another operation: nothing was taken yet."""
        self.taken, self.extensions, self._refused = [], 0, False
        self._since = None      # clocks since a span was taken that is not extended

    def offer(self, side):
        lba, sectors = self.coming[0] if self.coming else (0xBAD, 0xBAD)
        side.set(queue__valid=bool(self.coming), queue__payload__lba=lba,
                 queue__payload__sectors=sectors)

    def judge(self, seen, records):
        """What is allowed in a clock, ``records`` while a recording runs; returns the span by which
        the extent is extended in it, or None."""
        require, span = self._require, None
        if self._since is not None:
            self._since += 1
        if seen["extended"]:
            require(self._since is not None and self._since <= _EXTENDED,
                    "extended follows a span that was taken")
            span, self._since = self.taken[-1], None
            self.extensions += 1
        elif self._since == _EXTENDED:
            self._refused, self._since = True, None
        if seen["queue__ready"]:
            require(records, "a span is taken while a recording runs")
            require(not self._refused, "no span is taken after one that was refused")
            if self.coming:
                require(self._since is None, "a span is extended before the next is taken")
                self.taken.append(self.coming.pop(0))
                self._since = 0
        return span
