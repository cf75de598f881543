"""Every attribute of the cells GTPE2_CHANNEL and GTPE2_COMMON, what it does and where its value comes from.

The cells' own documentation is Xilinx UG482 (version 1.9), the 7 Series FPGAs GTP Transceivers User Guide; it calls
many of them reserved. An attribute that is left out gets a default from the tools, and an open flow has others than
the vendor's: so all are here, and a test reads the cells' names from Yosys' library. nextpnr-xilinx (e22bcf6,
xilinx/fasm.cc) does not read PLL0_CFG, PLL1_CFG, PLL0_INIT_CFG, PLL1_INIT_CFG, PLL0_LOCK_CFG and PLL1_LOCK_CFG: it
writes the values below whatever is asked for. Nor does it read the IS_GTGREFCLK ones, and what only the vendor's
simulation has.
"""

from amaranth.hdl import Const

from ..series7.attributes import rows, value
from ..series7.rates import DIVIDERS
from .rates import pll

__all__ = ["CHANNEL", "COMMON", "SOURCES", "channel_attributes", "common_attributes"]

#: Where the values come from.
SOURCES = {
    "guide": "UG482 states what the value does: interface width, buffers, dividers, the OOB circuit (page 133)",
    "AR 51369": "Xilinx Answer Record 51369, attribute updates of the Artix-7 GTP",
    "LiteSATA": "reported: litesata/phy/a7sataphy.py (github.com/enjoy-digital/litesata, fab17de), with which boards "
                "exchanged data with drives",
    "LiteICLink": "reported: liteiclink/serdes/gtp_7series.py (github.com/enjoy-digital/liteiclink, 7436cbb), raw "
                  "words of 20 bits",
    "library": "the default of the vendor's library, as Yosys' cells_xtra.v has it",
}


CHANNEL = (
    *rows("guide", """
        ALIGN_COMMA_WORD             2                        of the cell's own aligner, which is off
        PCS_RSVD_ATTR                48'h000000000100         bit 8: the OOB circuit is powered
        RXBUF_EN                     "TRUE"                   the receive buffer takes up the phase of the word clock
        RXSLIDE_MODE                 "OFF"                    no shifts by RXSLIDE
        RX_DATA_WIDTH                20                       two raw characters a word
        RX_XCLK_SEL                  "RXREC"                  and is written with the recovered clock
        TXBUF_EN                     "TRUE"                   the transmit buffer takes up the phase of the word clock
        TXSYNC_OVRD                  1'b0                     of the phase alignment, which the buffer replaces
        TX_DATA_WIDTH                40                       four raw characters a word
        TX_XCLK_SEL                  "TXOUT"                  and is read with the serializer's clock
        """),
    *rows("AR 51369", """
        CFOK_CFG                     43'h49000040E80          -
        CFOK_CFG2                    7'b0100000               -
        CFOK_CFG3                    7'b0100000               -
        PMA_RSV2                     32'h00002040             reserved
        RXCDR_LOCK_CFG               6'b001001                clock recovery
        RXLPM_CFG                    4'b0110                  equaliser
        RXLPM_GC_CFG                 9'b111100010             equaliser
        RXLPM_GC_CFG2                3'b001                   equaliser
        RXLPM_HF_CFG2                5'b01010                 equaliser
        RXLPM_LF_CFG2                5'b01010                 equaliser
        RXPI_CFG0                    3'b000                   phase interpolator
        RXPI_CFG1                    1'b1                     phase interpolator
        RXPI_CFG2                    1'b1                     phase interpolator
        RX_BIAS_CFG                  16'h0F33                 -
        RX_CM_TRIM                   4'b1010                  800 mV
        RX_DEBUG_CFG                 14'h0000                 -
        RX_OS_CFG                    13'h0080                 offset of the input
        """),
    *rows("LiteICLink", """
        CLK_COR_MAX_LAT              10                       fill of the receive buffer, correction or not
        CLK_COR_MIN_LAT              8                        the same
        """),
    *rows("LiteSATA", """
        ACJTAG_DEBUG_MODE            1'b0                     boundary scan: off
        ACJTAG_MODE                  1'b0                     boundary scan: off
        ACJTAG_RESET                 1'b0                     boundary scan: off
        ADAPT_CFG0                   20'h00000                -
        ALIGN_COMMA_DOUBLE           "FALSE"                  of the cell's own aligner, which is off
        ALIGN_COMMA_ENABLE           10'b1111111111           of the cell's own aligner, which is off
        ALIGN_MCOMMA_DET             "TRUE"                   of the cell's own aligner, which is off
        ALIGN_MCOMMA_VALUE           10'b1010000011           of the cell's own aligner, which is off
        ALIGN_PCOMMA_DET             "TRUE"                   of the cell's own aligner, which is off
        ALIGN_PCOMMA_VALUE           10'b0101111100           of the cell's own aligner, which is off
        CBCC_DATA_SOURCE_SEL         "DECODED"                of clock correction, which is off
        CFOK_CFG4                    1'b0                     -
        CFOK_CFG5                    2'b00                    -
        CFOK_CFG6                    4'b0000                  -
        CHAN_BOND_KEEP_ALIGN         "FALSE"                  channel bonding, which is off
        CHAN_BOND_MAX_SKEW           1                        channel bonding, which is off
        CHAN_BOND_SEQ_1_1            10'b0000000000           channel bonding, which is off
        CHAN_BOND_SEQ_1_2            10'b0000000000           channel bonding, which is off
        CHAN_BOND_SEQ_1_3            10'b0000000000           channel bonding, which is off
        CHAN_BOND_SEQ_1_4            10'b0000000000           channel bonding, which is off
        CHAN_BOND_SEQ_1_ENABLE       4'b1111                  channel bonding, which is off
        CHAN_BOND_SEQ_2_1            10'b0000000000           channel bonding, which is off
        CHAN_BOND_SEQ_2_2            10'b0000000000           channel bonding, which is off
        CHAN_BOND_SEQ_2_3            10'b0000000000           channel bonding, which is off
        CHAN_BOND_SEQ_2_4            10'b0000000000           channel bonding, which is off
        CHAN_BOND_SEQ_2_ENABLE       4'b1111                  channel bonding, which is off
        CHAN_BOND_SEQ_2_USE          "FALSE"                  channel bonding, which is off
        CHAN_BOND_SEQ_LEN            1                        channel bonding, which is off
        CLK_COMMON_SWING             1'b0                     -
        CLK_CORRECT_USE              "FALSE"                  clock correction, which is off
        CLK_COR_KEEP_IDLE            "FALSE"                  clock correction, which is off
        CLK_COR_PRECEDENCE           "TRUE"                   clock correction, which is off
        CLK_COR_REPEAT_WAIT          0                        clock correction, which is off
        CLK_COR_SEQ_1_1              10'b0100000000           clock correction, which is off
        CLK_COR_SEQ_1_2              10'b0000000000           clock correction, which is off
        CLK_COR_SEQ_1_3              10'b0000000000           clock correction, which is off
        CLK_COR_SEQ_1_4              10'b0000000000           clock correction, which is off
        CLK_COR_SEQ_1_ENABLE         4'b1111                  clock correction, which is off
        CLK_COR_SEQ_2_1              10'b0100000000           clock correction, which is off
        CLK_COR_SEQ_2_2              10'b0000000000           clock correction, which is off
        CLK_COR_SEQ_2_3              10'b0000000000           clock correction, which is off
        CLK_COR_SEQ_2_4              10'b0000000000           clock correction, which is off
        CLK_COR_SEQ_2_ENABLE         4'b1111                  clock correction, which is off
        CLK_COR_SEQ_2_USE            "FALSE"                  clock correction, which is off
        CLK_COR_SEQ_LEN              1                        clock correction, which is off
        DEC_MCOMMA_DETECT            "TRUE"                   8b/10b decoder, which is off
        DEC_PCOMMA_DETECT            "TRUE"                   8b/10b decoder, which is off
        DEC_VALID_COMMA_ONLY         "TRUE"                   8b/10b decoder, which is off
        DMONITOR_CFG                 24'h000A00               monitor, not used
        ES_CLK_PHASE_SEL             1'b0                     eye scan, not used
        ES_CONTROL                   6'b000000                eye scan, not used
        ES_ERRDET_EN                 "FALSE"                  eye scan, not used
        ES_EYE_SCAN_EN               "TRUE"                   eye scan, not used
        ES_HORZ_OFFSET               12'h010                  eye scan, not used
        ES_PMA_CFG                   10'b0000000000           eye scan, not used
        ES_PRESCALE                  5'b00000                 eye scan, not used
        ES_QUALIFIER                 80'h00000000000000000000 eye scan, not used
        ES_QUAL_MASK                 80'h00000000000000000000 eye scan, not used
        ES_SDATA_MASK                80'h00000000000000000000 eye scan, not used
        ES_VERT_OFFSET               9'b000000000             eye scan, not used
        FTS_DESKEW_SEQ_ENABLE        4'b1111                  PCI Express
        FTS_LANE_DESKEW_CFG          4'b1111                  PCI Express
        FTS_LANE_DESKEW_EN           "FALSE"                  PCI Express
        GEARBOX_MODE                 3'b000                   gearbox, which is off
        LOOPBACK_CFG                 1'b0                     no loop-back
        OUTREFCLK_SEL_INV            2'b11                    -
        PCS_PCIE_EN                  "FALSE"                  not PCI Express
        PD_TRANS_TIME_FROM_P2        12'h03C                  power states of PCI Express
        PD_TRANS_TIME_NONE_P2        8'b00111100              power states of PCI Express
        PD_TRANS_TIME_TO_P2          8'b01100100              power states of PCI Express
        PMA_LOOPBACK_CFG             1'b0                     no loop-back
        PMA_RSV                      32'h00000333             reserved
        PMA_RSV3                     2'b00                    reserved
        PMA_RSV4                     4'b0000                  reserved
        PMA_RSV5                     1'b0                     reserved
        PMA_RSV6                     1'b0                     reserved
        PMA_RSV7                     1'b0                     reserved
        RXBUFRESET_TIME              5'b00001                 receive buffer
        RXBUF_ADDR_MODE              "FAST"                   receive buffer
        RXBUF_EIDLE_HI_CNT           4'b1000                  receive buffer
        RXBUF_EIDLE_LO_CNT           4'b0000                  receive buffer
        RXBUF_RESET_ON_CB_CHANGE     "TRUE"                   receive buffer
        RXBUF_RESET_ON_COMMAALIGN    "FALSE"                  receive buffer
        RXBUF_RESET_ON_EIDLE         "FALSE"                  receive buffer
        RXBUF_RESET_ON_RATE_CHANGE   "TRUE"                   receive buffer
        RXBUF_THRESH_OVFLW           61                       limits of the receive buffer
        RXBUF_THRESH_OVRD            "FALSE"                  limits of the receive buffer
        RXBUF_THRESH_UNDFLW          4                        limits of the receive buffer
        RXCDRFREQRESET_TIME          5'b00001                 units that a reset lasts
        RXCDRPHRESET_TIME            5'b00001                 units that a reset lasts
        RXCDR_FR_RESET_ON_EIDLE      1'b0                     not in the hands of the signal detector
        RXCDR_HOLD_DURING_EIDLE      1'b0                     not in the hands of the signal detector
        RXCDR_PH_RESET_ON_EIDLE      1'b0                     not in the hands of the signal detector
        RXDLY_CFG                    16'h001F                 phase alignment, which the buffer replaces
        RXDLY_LCFG                   9'b000110000             phase alignment, which the buffer replaces
        RXDLY_TAP_CFG                16'h0000                 phase alignment, which the buffer replaces
        RXGEARBOX_EN                 "FALSE"                  gearbox, which is off
        RXISCANRESET_TIME            5'b00001                 units that a reset lasts
        RXLPMRESET_TIME              7'b0001111               units that a reset lasts
        RXLPM_BIAS_STARTUP_DISABLE   1'b0                     equaliser
        RXLPM_CFG1                   1'b0                     equaliser
        RXLPM_CM_CFG                 1'b0                     equaliser
        RXLPM_HF_CFG                 14'h03F0                 equaliser
        RXLPM_HF_CFG3                4'b0000                  equaliser
        RXLPM_HOLD_DURING_EIDLE      1'b0                     equaliser
        RXLPM_INCM_CFG               1'b1                     equaliser
        RXLPM_IPCM_CFG               1'b0                     equaliser
        RXLPM_LF_CFG                 18'h003F0                equaliser
        RXLPM_OSINT_CFG              3'b100                   equaliser
        RXOOB_CFG                    7'b0000110               threshold of the signal detector
        RXOOB_CLK_CFG                "PMA"                    the OOB circuit runs with the reference of the PLL
        RXOSCALRESET_TIME            5'b00011                 units that a reset lasts
        RXOSCALRESET_TIMEOUT         5'b00000                 units that a reset lasts
        RXPCSRESET_TIME              5'b00001                 units that a reset lasts
        RXPHDLY_CFG                  24'h084020               phase alignment, which the buffer replaces
        RXPH_CFG                     24'hC00002               phase alignment, which the buffer replaces
        RXPH_MONITOR_SEL             5'b00000                 phase alignment, which the buffer replaces
        RXPMARESET_TIME              5'b00011                 units that a reset lasts
        RXPRBS_ERR_LOOPBACK          1'b0                     pattern checker, not used
        RXSLIDE_AUTO_WAIT            7                        no shifts by RXSLIDE
        RXSYNC_MULTILANE             1'b0                     phase alignment, which the buffer replaces
        RXSYNC_OVRD                  1'b0                     phase alignment, which the buffer replaces
        RXSYNC_SKIP_DA               1'b0                     phase alignment, which the buffer replaces
        RX_BUFFER_CFG                6'b000000                receive buffer
        RX_CLKMUX_EN                 1'b1                     -
        RX_CM_SEL                    2'b11                    common mode of the input: programmable
        RX_DDI_SEL                   6'b000000                phase alignment, which the buffer replaces
        RX_DEFER_RESET_BUF_EN        "TRUE"                   receive buffer
        RX_DISPERR_SEQ_MATCH         "TRUE"                   8b/10b decoder, which is off
        RX_SIG_VALID_DLY             10                       -
        SAS_MAX_COM                  64                       COMSAS, which is not used
        SAS_MIN_COM                  36                       COMSAS, which is not used
        SATA_BURST_SEQ_LEN           4'b0101                  bursts of a signal that goes out
        SATA_BURST_VAL               3'b100                   bursts until a signal counts
        SATA_EIDLE_VAL               3'b100                   gaps until a signal counts
        SATA_MAX_BURST               8                        longest burst, in halves of a clock of 25 MHz
        SATA_MAX_INIT                21                       longest gap of COMINIT
        SATA_MAX_WAKE                7                        longest gap of COMWAKE
        SATA_MIN_BURST               4                        shortest burst
        SATA_MIN_INIT                12                       shortest gap of COMINIT
        SATA_MIN_WAKE                4                        shortest gap of COMWAKE
        SATA_PLL_CFG                 "VCO_3000MHZ"            bursts are timed for a PLL at 3 GHz
        SHOW_REALIGN_COMMA           "TRUE"                   of the cell's own aligner, which is off
        SIM_RECEIVER_DETECT_PASS     "TRUE"                   of the vendor's simulation only
        SIM_RESET_SPEEDUP            "FALSE"                  of the vendor's simulation only
        SIM_TX_EIDLE_DRIVE_LEVEL     "X"                      of the vendor's simulation only
        SIM_VERSION                  "2.0"                    of the vendor's simulation only
        TERM_RCAL_CFG                15'h4210                 termination
        TERM_RCAL_OVRD               3'b000                   termination
        TRANS_TIME_RATE              8'b00001110              of a change of rate, which is not used
        TST_RSV                      32'h00000000             reserved
        TXBUF_RESET_ON_RATE_CHANGE   "TRUE"                   transmit buffer
        TXDLY_CFG                    16'h001F                 phase alignment, which the buffer replaces
        TXDLY_LCFG                   9'b000110000             phase alignment, which the buffer replaces
        TXDLY_TAP_CFG                16'h0000                 phase alignment, which the buffer replaces
        TXGEARBOX_EN                 "FALSE"                  gearbox, which is off
        TXOOB_CFG                    1'b0                     -
        TXPCSRESET_TIME              5'b00001                 units that a reset lasts
        TXPHDLY_CFG                  24'h084020               phase alignment, which the buffer replaces
        TXPH_CFG                     16'h0780                 phase alignment, which the buffer replaces
        TXPH_MONITOR_SEL             5'b00000                 phase alignment, which the buffer replaces
        TXPI_CFG0                    2'b00                    phase interpolator
        TXPI_CFG1                    2'b00                    phase interpolator
        TXPI_CFG2                    2'b00                    phase interpolator
        TXPI_CFG3                    1'b0                     phase interpolator
        TXPI_CFG4                    1'b0                     phase interpolator
        TXPI_CFG5                    3'b000                   phase interpolator
        TXPI_GREY_SEL                1'b0                     phase interpolator
        TXPI_INVSTROBE_SEL           1'b0                     phase interpolator
        TXPI_PPMCLK_SEL              "TXUSRCLK2"              phase interpolator
        TXPI_PPM_CFG                 8'b00000000              phase interpolator
        TXPI_SYNFREQ_PPM             3'b001                   phase interpolator
        TXPMARESET_TIME              5'b00001                 units that a reset lasts
        TXSYNC_MULTILANE             1'b0                     phase alignment, which the buffer replaces
        TXSYNC_SKIP_DA               1'b0                     phase alignment, which the buffer replaces
        TX_CLKMUX_EN                 1'b1                     -
        TX_DEEMPH0                   6'b000000                no de-emphasis
        TX_DEEMPH1                   6'b000000                no de-emphasis
        TX_DRIVE_MODE                "DIRECT"                 driver set by the ports
        TX_EIDLE_ASSERT_DELAY        3'b110                   delay of electrical idle
        TX_EIDLE_DEASSERT_DELAY      3'b100                   delay of its end
        TX_LOOPBACK_DRIVE_HIZ        "FALSE"                  no loop-back
        TX_MAINCURSOR_SEL            1'b0                     driver
        TX_MARGIN_FULL_0             7'b1001110               driver, margins of PCI Express
        TX_MARGIN_FULL_1             7'b1001001               driver, margins of PCI Express
        TX_MARGIN_FULL_2             7'b1000101               driver, margins of PCI Express
        TX_MARGIN_FULL_3             7'b1000010               driver, margins of PCI Express
        TX_MARGIN_FULL_4             7'b1000000               driver, margins of PCI Express
        TX_MARGIN_LOW_0              7'b1000110               driver, margins of PCI Express
        TX_MARGIN_LOW_1              7'b1000100               driver, margins of PCI Express
        TX_MARGIN_LOW_2              7'b1000010               driver, margins of PCI Express
        TX_MARGIN_LOW_3              7'b1000000               driver, margins of PCI Express
        TX_MARGIN_LOW_4              7'b1000000               driver, margins of PCI Express
        TX_PREDRIVER_MODE            1'b0                     driver
        TX_RXDETECT_CFG              14'h1832                 receiver detection of PCI Express
        TX_RXDETECT_REF              3'b100                   receiver detection of PCI Express
        UCODEER_CLR                  1'b0                     8b/10b decoder, which is off
        USE_PCS_CLK_PHASE_SEL        1'b0                     -
        """),
    *rows("library", """
        IS_CLKRSVD0_INVERTED         1'b0                     clock not inverted
        IS_CLKRSVD1_INVERTED         1'b0                     clock not inverted
        IS_DMONITORCLK_INVERTED      1'b0                     clock not inverted
        IS_DRPCLK_INVERTED           1'b0                     clock not inverted
        IS_RXUSRCLK2_INVERTED        1'b0                     clock not inverted
        IS_RXUSRCLK_INVERTED         1'b0                     clock not inverted
        IS_SIGVALIDCLK_INVERTED      1'b0                     clock not inverted
        IS_TXPHDLYTSTCLK_INVERTED    1'b0                     clock not inverted
        IS_TXUSRCLK2_INVERTED        1'b0                     clock not inverted
        IS_TXUSRCLK_INVERTED         1'b0                     clock not inverted
        """),
)

COMMON = (
    *rows("AR 51369", """
        BIAS_CFG                     64'h0000000000050001     -
        PLL0_CFG                     27'h01F03DC              PLL, reserved
        PLL1_CFG                     27'h01F03DC              the same
        """),
    *rows("library", """
        COMMON_CFG                   32'h00000000             reserved
        IS_DRPCLK_INVERTED           1'b0                     clock not inverted
        IS_GTGREFCLK0_INVERTED       1'b0                     clock not inverted
        IS_GTGREFCLK1_INVERTED       1'b0                     clock not inverted
        IS_PLL0LOCKDETCLK_INVERTED   1'b0                     clock not inverted
        IS_PLL1LOCKDETCLK_INVERTED   1'b0                     clock not inverted
        PLL0_DMON_CFG                1'b0                     monitor, not used
        PLL0_INIT_CFG                24'h00001E               PLL, reserved
        PLL0_LOCK_CFG                9'h1E8                   PLL, reserved
        PLL1_DMON_CFG                1'b0                     of the second PLL, which has no power
        PLL1_FBDIV                   4                        the same
        PLL1_FBDIV_45                5                        the same
        PLL1_INIT_CFG                24'h00001E               the same
        PLL1_LOCK_CFG                9'h1E8                   the same
        PLL1_REFCLK_DIV              1                        the same
        PLL_CLKOUT_CFG               8'b00000000              reserved
        RSVD_ATTR0                   16'h0000                 reserved
        RSVD_ATTR1                   16'h0000                 reserved
        SIM_PLL1REFCLK_SEL           3'b001                   of the vendor's simulation only
        """),
    *rows("LiteSATA", """
        SIM_RESET_SPEEDUP            "FALSE"                  of the vendor's simulation only
        SIM_VERSION                  "2.0"                    of the vendor's simulation only
        """),
)

#: The clock recovery by generation, for drives with spread spectrum (LiteSATA, as above).
_RECOVERY = {1: 0x0000047FE106024481010, 2: 0x0000047FE206024481010, 3: 0x0000087FE206024441010}


def channel_attributes(generation, reference_hz):
    """All attributes of GTPE2_CHANNEL, name to value, for a line rate and the reference of the PLL."""
    return {one.name: value(one.value) for one in CHANNEL} | {
        "RXCDR_CFG": Const(_RECOVERY[generation], 83),
        "RXOUT_DIV": DIVIDERS[generation], "TXOUT_DIV": DIVIDERS[generation],
        # The OOB circuit counts in halves of a clock of 25 MHz, or as near to it as can be (UG482, RX_CLK25_DIV).
        "RX_CLK25_DIV": round(reference_hz / 25e6), "TX_CLK25_DIV": round(reference_hz / 25e6)}


def common_attributes(reference_hz, selected):
    """The same of GTPE2_COMMON, with the first PLL at 3 GHz; ``selected``: its reference, as PLL0REFCLKSEL has it."""
    feedback, feedback_45, divider = pll(reference_hz)
    return {one.name: value(one.value) for one in COMMON} | {
        "PLL0_FBDIV": feedback, "PLL0_FBDIV_45": feedback_45, "PLL0_REFCLK_DIV": divider,
        "SIM_PLL0REFCLK_SEL": Const(selected, 3)}
