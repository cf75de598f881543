"""The other end of a line: a device's link layer that behaves, but takes its liberties."""

from unit.core.link.reference import NAMES, PRIMITIVES, content, crc, keystream

__all__ = ["LinkPartner"]


class LinkPartner:
    """Sends ``frames``, receives others; a dword each way in a clock.

    ``liberties`` is the probability of each of: HOLD, a gap in what the core receives, a clock in
    which the core's dword is not taken. ``cont``: it makes use of CONT.
    """

    def __init__(self, rng, frames=(), *, liberties=0.0, cont=True):
        self._rng, self._liberties, self._cont = rng, liberties, cont
        self._frames = list(frames)     # still to be sent
        self.received = []              # their content
        self.answers = []               # R_OK or R_ERR to each frame sent
        self._state = "idle"
        self._words = []                # of the frame in flight
        self._core, self._core_junk = "SYNC", False
        self._pause = self._lag = 0
        # The encoder.
        self._pending = None
        self._last, self._repeats, self._junk = None, 0, False
        self._since_align = rng.randrange(250)

    @property
    def idle(self):
        return self._state == "idle" and not self._frames and self._core == "SYNC"

    def clock(self, dword, k, taken):
        """The (dword, k, valid, tx_ready) of the next clock, from what the core shows in this."""
        if taken:
            self._listen(NAMES[dword] if k else dword)
        valid, ready = (self._rng.random() >= self._liberties for _ in range(2))
        return *(self._encode() if valid else (0, 0)), valid, ready

    def _listen(self, item):
        if item == "CONT":
            self._core_junk = True
        if item in ("ALIGN", "CONT") or (isinstance(item, int) and self._core_junk):
            return
        self._core, self._core_junk = item, False
        state = self._state
        if state == "receive" and isinstance(item, int):
            self._words.append(item)
        elif state == "receive" and item == "EOF":
            self.received.append(content(self._words))
            self._state = "good"
        elif state == "await" and item in ("R_OK", "R_ERR"):
            self.answers.append(item)
            self._state = "idle"
        else:
            self._state = {("idle", "X_RDY"): "ready", ("ready", "SOF"): "receive",
                           ("offer", "R_RDY"): "sof", ("good", "SYNC"): "idle",
                           ("ready", "SYNC"): "idle"}.get((state, item), state)
            if self._state == "receive" and state == "ready":
                self._words = []

    def _pauses(self):
        if not self._pause and self._rng.random() < self._liberties:
            self._pause = self._rng.randint(1, 10)
        self._pause -= self._pause > 0
        return self._pause > 0

    def _speak(self):
        if self._state == "idle" and self._frames and self._core == "SYNC":
            dwords = self._frames.pop(0)
            words = [*dwords, crc(dwords)]
            self._words = [word ^ key for word, key in zip(words, keystream(len(words)))]
            self._state = "offer"
        if self._state == "sof":
            self._state = "send"
            return "SOF"
        if self._state == "send":
            self._lag = self._lag + 1 if self._core == "HOLD" else 0
            if self._lag > 12 * self._liberties:
                return "HOLDA"
            if self._pauses():
                return "HOLD"
            if self._words:
                return self._words.pop(0)
            self._state = "await"
            return "EOF"
        if self._state == "receive":
            return "HOLDA" if self._core == "HOLD" else "HOLD" if self._pauses() else "R_IP"
        return {"idle": "SYNC", "offer": "X_RDY", "await": "WTRM", "ready": "R_RDY",
                "good": "R_OK"}[self._state]

    def _encode(self):
        self._since_align += 1
        if self._since_align > 254:
            self._since_align %= 256
            return PRIMITIVES["ALIGN"], 1
        item, self._pending = self._speak() if self._pending is None else self._pending, None
        if isinstance(item, int) and self._junk:
            # The primitive once more: data could not be told from junk.
            self._pending, item = item, self._last
            self._repeats, self._junk = 0, False
        if isinstance(item, int):
            self._last, self._repeats = None, 0
            return item, 0
        self._repeats = self._repeats + 1 if item == self._last else 1
        self._junk = self._junk and item == self._last
        self._last = item
        if self._junk:
            return self._rng.getrandbits(32), 0
        if self._repeats == 3 and self._cont:
            self._junk = True
            return PRIMITIVES["CONT"], 1
        return PRIMITIVES[item], 1
