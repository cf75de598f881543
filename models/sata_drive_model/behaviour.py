"""Everything a drive may do differently: one dataclass, legal variations and faults."""

import random
from dataclasses import dataclass, field
from typing import Optional, Union

#: An exact number, or (minimum, maximum) for a random one each time it is needed.
Range = Union[int, tuple]
#: HOLD after each ``every`` dwords for ``length`` dwords: (every, length).
Pattern = Optional[tuple]

NEVER = 1 << 60


def pick(rng: random.Random, value: Range) -> int:
    """The number itself, or a random one of an inclusive (minimum, maximum)."""
    if isinstance(value, int):
        return value
    low, high = value
    width = high - low + 1
    if width < 1:
        raise ValueError(f"no number lies between {low} and {high}")
    # The numbers of randint(), at a third of its time: a drive requests thousands.
    bits = width.bit_length()
    number = rng.getrandbits(bits)
    while number >= width:
        number = rng.getrandbits(bits)
    return low + number


@dataclass
class Behaviour:
    """How the drive behaves. Times are dword clocks of the line; a ``Range`` is an int or (minimum,
    maximum).

    The defaults are a friendly drive that answers at once. Faults are one-shot counters: each use
    takes one off, so that the drive is good again afterwards; a test may change any field while the
    drive runs.
    """

    # Latencies
    signature_latency: Range = 32     #: from link-up to the signature FIS
    #: from a data command FIS to the first DMA Activate or Data FIS
    command_latency: Range = 0
    activate_latency: Range = 0       #: from a host Data FIS to the next DMA Activate
    data_latency: Range = 0           #: from a read Data FIS to the next one
    completion_latency: Range = 0     #: from the last data to the status FIS
    #: from IDENTIFY DEVICE to its PIO Setup, and from there to the data
    identify_latency: Range = 0
    flush_latency: Range = 0          #: from FLUSH CACHE to its status
    spin_up_latency: Range = 0        #: from SET FEATURES, spin-up, to its status
    other_latency: Range = 0          #: from any other command to its status

    # Frames
    data_fis_dwords: Range = 2048     #: payload of a Data FIS to the host
    pio_dwords: Range = 128   #: IDENTIFY: dwords of each PIO Setup and its Data FIS
    busy_status_fises: int = 0        #: Register D2H with BSY = 1 sent before each final status
    repeated_status_fises: int = 0    #: copies of the final status sent after it
    set_device_bits: float = 0.0      #: chance of a Set Device Bits FIS before any other FIS
    set_device_bits_idle: Range = NEVER  #: idle time after which one is sent
    dma_setup: float = 0.0            #: chance of an unsolicited DMA Setup FIS before any other FIS
    #: chance of an unsolicited BIST Activate FIS before any other FIS
    bist_activate: float = 0.0
    pm_request: float = 0.0           #: chance of PMREQ_P or PMREQ_S before a FIS
    pm_request_idle: Range = NEVER    #: idle time after which one is sent

    # Link
    #: dwords between two ALIGN pairs, 0 counts as 1: without one the drive could send nothing
    #: (NEVER: no pairs)
    align_interval: Range = 254
    cont: float = 1.0                 #: chance that a run of a primitive is continued by CONT
    cont_after: Range = 2             #: times a primitive is sent before CONT (at least 2)
    cont_hold: bool = True            #: whether HOLD and HOLDA may be continued by CONT
    r_rdy_delay: Range = 0            #: from X_RDY to R_RDY
    r_ok_delay: Range = 0             #: from EOF to R_OK or R_ERR
    sof_delay: Range = 0              #: from R_RDY to SOF
    holda_delay: Range = 0            #: from the host's HOLD to HOLDA (0 to 20)
    throttle: Pattern = None          #: HOLD towards a sending host, counted in received dwords
    throttle_at: tuple = ()           #: the same at fixed places: ((dwords received, length), ...)
    underrun: Pattern = None          #: HOLD while sending data, counted in sent dwords
    underrun_at: tuple = ()           #: ((index in the frame, SOF = 0, length), ...)
    #: HOLDs before the last dword (CRC) of each Data FIS to the host
    hold_before_crc: Range = 0
    collision: float = 0.0            #: chance that the host's X_RDY meets the drive's own X_RDY

    # Faults in commands
    #: data commands that touch this sector end there with an error
    fail_lba: Optional[int] = None
    fail_status: int = 0x51           #: ... this status (ERR)
    fail_error: int = 0x40            #: ... this error register (UNC)
    fail_times: int = NEVER           #: ... so often; then the sector is good
    #: error status after this many Data FISes of a data command
    fail_after_data: Optional[int] = None
    reject_command: int = 0           #: data commands answered by the error status at once
    good_status: int = 0x50           #: status of good completion (a test may take DRDY out)
    #: dwords withheld at the end of a read that ends with good status
    short_data: int = 0
    extra_data: int = 0               #: dwords sent too many at the end of a read
    abort_identify: int = 0           #: IDENTIFY DEVICE commands aborted
    corrupt_identify: int = 0         #: IDENTIFY DEVICE pages sent with a wrong checksum

    # Faults in frames
    unknown_fis: int = 0              #: FISes preceded by one of unknown type
    wrong_length: int = 0             #: non-data FISes sent first one dword too long
    short_length: int = 0             #: non-data FISes sent first one dword too short
    bad_crc: int = 0                  #: non-data FISes sent with a bad CRC before the good one
    bad_data_crc: Optional[int] = None    #: index of the Data FIS of a read sent with a bad CRC
    refuse_command: int = 0           #: command FISes answered by R_ERR
    refuse_data: Optional[int] = None     #: index of the Data FIS of a write answered by R_ERR
    #: (index of the Data FIS of a write, dword) where DMAT is sent
    dmat_data: Optional[tuple] = None
    escape_command: int = 0           #: command FISes answered by a SYNC escape
    #: (Data FIS of a write, dword) where the drive escapes with SYNC
    escape_write: Optional[tuple] = None
    #: (Data FIS of a read, dword) where the drive escapes with SYNC
    escape_read: Optional[tuple] = None
    #: (Data FIS of a read, dword) from where HOLD is sent forever
    stuck_read: Optional[tuple] = None
    #: (Data FIS of a write, dword) from where HOLD is sent forever
    stuck_write: Optional[tuple] = None

    #: What never comes, any of: signature, identify, command (nothing is answered), activate, data,
    #: status, log (READ LOG), smart, trim (DATA SET MANAGEMENT), spin-up (SET FEATURES, spin-up),
    #: r_rdy, r_ok, link (SYNC forever)
    mute: frozenset = field(default_factory=frozenset)

    @classmethod
    def random(cls, seed: int) -> "Behaviour":
        """A hostile but legal drive; the same seed gives the same drive."""
        rng = random.Random(seed)

        def span(limit):
            return rng.choice((0, 0, rng.randint(1, 4), (0, limit), (limit // 2, limit)))

        def pattern():
            if rng.random() < 0.5:
                return None
            every = rng.choice((rng.randint(20, 90), (20, 400), (400, 1500)))
            return every, rng.choice((1, 2, (1, 4), (1, 60), (30, 200)))

        return cls(
            signature_latency=(0, 200), command_latency=span(300), activate_latency=span(200),
            data_latency=span(200), completion_latency=span(300), identify_latency=span(200),
            flush_latency=span(2000), other_latency=span(100),
            data_fis_dwords=rng.choice((2048, 2048, 128, (1, 2048), (1, 64), rng.randint(1, 2048))),
            pio_dwords=rng.choice((128, 64, 32, (1, 128))),
            busy_status_fises=rng.choice((0, 0, 0, 1, 2)),
            repeated_status_fises=rng.choice((0, 0, 0, 1)),
            set_device_bits=rng.choice((0, 0, 0.1, 0.5)),
            set_device_bits_idle=rng.choice((NEVER, (10, 3000))),
            pm_request=rng.choice((0, 0, 0.1)),
            pm_request_idle=rng.choice((NEVER, NEVER, (100, 5000))),
            align_interval=rng.choice((254, 254, (0, 254), (2, 20), rng.randint(0, 254))),
            cont=rng.choice((0.0, 0.5, 1.0)), cont_after=rng.choice((2, 2, (2, 5))),
            cont_hold=rng.random() < 0.7,
            r_rdy_delay=span(100), r_ok_delay=span(100), sof_delay=span(10),
            holda_delay=rng.choice((0, rng.randint(0, 16), (0, 16))),
            throttle=pattern(), underrun=pattern(),
            hold_before_crc=rng.choice((0, 0, 2, (0, 3))),
            collision=rng.choice((0, 0, 0.2, 0.7)),
        )
