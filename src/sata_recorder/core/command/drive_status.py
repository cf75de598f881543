"""What the drive reported last about itself (ATA8-ACS, status, error and LBA fields)."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..transport import ReceivedFis, Status

__all__ = ["DriveStatus"]


class DriveStatus(wiring.Component):
    """Keeps the last status of the drive, and E_Status of PIO Setup until its Data FIS has ended.

    Members
    -------
    fis : In(ReceivedFis)
        A FIS has arrived.
    block_begins : In(1)
        With ``fis.pio_setup``: E_Status and error are those of the PIO data block that follows.
    block_ends : In(1)
        With ``fis.data``: the PIO data block has ended, its E_Status is the drive's status now.
    current : Out(Status)
        With ``fis.register_d2h``: the status in this FIS. With ``fis.data``: the last E_Status.
    failed : Out(1)
        ``current`` has ERR or DF, or lacks DRDY.
    status : Out(Status)
        The last status, 1 clock after its FIS.
    error : Out(8)
        The error register that belongs to ``status``.
    error_lba : Out(48)
        The LBA of the last Register D2H FIS with ERR or DF.
    error_device : Out(4)
        Bits 3:0 of the device register of that FIS.
    """

    fis: In(ReceivedFis)
    block_begins: In(1)
    block_ends: In(1)
    current: Out(Status)
    failed: Out(1)
    status: Out(Status)
    error: Out(8)
    error_lba: Out(48)
    error_device: Out(4)

    def elaborate(self, platform):
        m = Module()
        fis, current = self.fis, self.current
        end_status = Signal(Status)
        end_error = Signal(8)
        m.d.comb += [
            current.eq(Mux(fis.data, end_status, fis.status)),
            self.failed.eq(current.err | current.df | ~current.drdy),
        ]
        with m.If(fis.register_d2h):
            m.d.sync += [self.status.eq(fis.status), self.error.eq(fis.error)]
            with m.If(current.err | current.df):
                m.d.sync += [self.error_lba.eq(fis.lba), self.error_device.eq(fis.device)]
        with m.If(self.block_begins):
            m.d.sync += [end_status.eq(fis.end_status), end_error.eq(fis.error)]
        with m.If(self.block_ends):
            m.d.sync += [self.status.eq(end_status), self.error.eq(end_error)]
        return m
