"""What may watch a dword port without taking part in what crosses it.

One file of plain ints: observer.pxd beside it states how it is compiled.
"""


class Observer:
    """Watches the cycles of a `DrivePort`; a class of your own derives from it.

    The port calls ``observe(now, core, inputs)`` with both sides' words of cycle ``now``, in those
    cycles in which ``(inputs ^ rx_base) > rx_mask or (core ^ tx_base) > tx_mask``: an observer that
    sets bases and masks after a cycle is left alone while nothing changes that it cares for. With
    masks of -1, as they are at first, it is called in every cycle. Members: ``clock_of``, set by
    the port, states how many cycles have passed.
    """

    __slots__ = ("rx_base", "rx_mask", "tx_base", "tx_mask", "clock_of")

    def __init__(self) -> None:
        self.rx_base = self.tx_base = 0
        self.rx_mask = self.tx_mask = -1
        self.clock_of = None

    def observe(self, now: int, core: int, inputs: int) -> None:
        """Cycle ``now``: ``core`` is what the host sent, ``inputs`` what it received, as in
        `DrivePort.clock`."""
