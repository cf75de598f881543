"""Faults of frames, FISes and status in a drive: which of them are armed, and what they do.

`DrivePort.inject` arms them; `Drive` checks once per FIS or command, and only while one is armed.
"""

from ..link.frame import Frame
from ..protocol import fis
from .fault import FISES, RECEIVED

_TYPES = {number: text for text, number in FISES.items()}
_SENT = ("bad_crc", "truncated", "overlong", "escape", "stuck", "wrong_type", "repeated", "missing",
         "storm", "delay", "status")


class Armed:
    """A fault that waits: ``skip`` more frames or commands pass, then it strikes ``left`` times."""

    def __init__(self, fault):
        self.fault = fault
        self.skip = fault.nth
        self.left = fault.count if fault.kind in ("refused", "abort") else 1


class Injector:
    """The armed faults of one drive.

    Members: ``armed`` list of :class:`Armed`; ``struck`` list of (clock, fault) that have struck,
    for the caller, who empties it; ``clock_of`` gives the clock.
    """

    def __init__(self):
        self.armed = []
        self.struck = []
        self.clock_of = lambda: 0
        self.media = None       # the fault that made a sector bad

    def arm(self, fault):
        """From now on ``fault`` strikes where it fits."""
        self.armed.append(Armed(fault))

    def clear(self):
        """No fault is armed any more."""
        self.armed = []
        self.media = None

    def met(self):
        """A command has met the bad sector."""
        if self.media is not None:
            self.note(self.media)

    def note(self, fault):
        """``fault`` has struck."""
        self.struck.append((self.clock_of(), fault))

    def due(self, kind, what="any"):
        """The fault of ``kind`` that strikes at this frame or command (a FIS type's name), or
        None."""
        found = None
        for one in self.armed:
            fault = one.fault
            if found or fault.kind != kind or fault.fis not in ("any", what):
                continue
            if one.skip:
                one.skip -= 1
                continue
            one.left -= 1
            self.note(fault)
            found = fault
        if found:
            self.armed = [one for one in self.armed if one.left]
        return found

    # Frames of the drive --------------------------------------------------------------------------

    def outgoing(self, data, at, tag, options):
        """The frames that go out in the place of ``Frame(data, at, tag=tag, **options)``."""
        name = _TYPES[data[0]]
        hits = {kind: fault for kind in _SENT
                if (kind != "status" or tag == "status") and (fault := self.due(kind, name))}
        if "missing" in hits:
            return []
        if "delay" in hits:
            at += hits["delay"].clocks
        if fault := hits.get("storm"):
            made = fis.register_d2h if fault.value & 0x80 else fis.set_device_bits
            return [Frame(made(fault.value), at, tag="storm")]
        if fault := hits.get("status"):
            data = fis.register_d2h(fault.value, fault.error)
        before = []
        if fault := hits.get("wrong_type"):
            before.append(Frame(bytes([fault.value]) + data[1:], at, tag="bad: type"))
        # Data go once; any other FIS is sent again, whole, when the host has refused it.
        moves = tag == "data"
        for kind, own in (("bad_crc", {"damage": 1 << 13}),
                          ("truncated", {"cut": hits["truncated"].dword
                                         if "truncated" in hits else None})):
            if kind in hits and moves:
                options = options | own
            elif kind in hits:
                before.append(Frame(data, at, tag=f"bad: {kind}", **own))
        if fault := hits.get("overlong"):
            more = bytes(4 * min(fault.count, fis.MAX_DATA_DWORDS))
            if moves:
                data, options = data + more, options | {"extra": len(more) // 4}
            else:
                before.append(Frame(data + more, at, tag="bad: overlong"))
        if fault := hits.get("escape") or hits.get("stuck"):
            options = options | {"stop_at": fault.dword, "vanish": fault.kind == "stuck"}
        after = [Frame(data, at, tag="copy")
                 for _ in range(hits["repeated"].count if "repeated" in hits else 0)]
        return [*before, Frame(data, at, tag=tag, **options), *after]

    # Frames of the host ---------------------------------------------------------------------------

    def plan(self, link, name):
        """SOF of the host's FIS ``name`` came: the places where the link gives it up."""
        link.give_up(escape_at=self._place("escaped", name), stuck_at=self._place("held", name),
                     dmat_at=self._place("dmat", name))

    def _place(self, kind, name):
        """The dword of the fault of ``kind`` that strikes at the host's FIS ``name``, or None."""
        fault = self.due(kind, name)
        return fault.dword if fault else None


def unsolicited(fault):
    """The FIS that a drive sends unasked."""
    status = fault.value
    made = {
        fis.REGISTER_D2H: lambda: fis.register_d2h(status),
        fis.SET_DEVICE_BITS: lambda: fis.set_device_bits(status),
        fis.DMA_ACTIVATE: fis.dma_activate,
        fis.DMA_SETUP: fis.dma_setup,
        fis.BIST_ACTIVATE: fis.bist_activate,
        fis.PIO_SETUP: lambda: fis.pio_setup(0x58, 0x50, 512),
        fis.DATA: lambda: fis.data(bytes(512)),
    }
    return made[FISES[fault.fis]]()


def strike(fault, drive, link):
    """Arms a fault above the line in ``drive``, or lets it happen at once; False where it could
    not."""
    injector, behaviour = drive.injector, drive.behaviour
    if fault.kind in _SENT or fault.kind in RECEIVED or fault.kind in ("unready", "abort"):
        injector.arm(fault)
        return True
    if fault.kind == "media":
        injector.media = fault
        behaviour.fail_lba, behaviour.fail_times = fault.lba, fault.count
        behaviour.fail_status, behaviour.fail_error = fault.value, fault.error
        return True
    if fault.kind == "dead":
        drive.die(fault.count)
    elif not drive.ready:
        return False
    else:
        link.queue.insert(0, Frame(unsolicited(fault), link.now))
        link.event_at = 0
    injector.note(fault)
    return True
