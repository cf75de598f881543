"""Every attribute of the cell GTXE2_CHANNEL, what it does and where its value comes from.

The cell's own documentation is Xilinx UG476 (version 1.12.1), the 7 Series FPGAs GTX/GTH Transceivers User Guide; it
calls many of them reserved. An attribute that is left out gets a default from the tools, and an open flow has others
than the vendor's: so all are here, and a test reads the cell's names from Yosys' library.

There is no GTXE2_COMMON: it has the QPLL, and each channel uses its own CPLL, as in LiteSATA's PHY on boards.
"""

from amaranth.hdl import Const

from ..series7.attributes import rows, value
from ..series7.rates import DIVIDERS
from .rates import cpll, oob_clock_hz

__all__ = ["CHANNEL", "SOURCES", "channel_attributes"]

#: Where the values come from.
SOURCES = {
    "guide": "UG476 states what the value does: interface width, buffers; LiteICLink has the same for words of 40 "
             "bits (liteiclink/serdes/gtx_7series.py, version 2024.12 on PyPI)",
    "LiteSATA": "reported: litesata/phy/k7sataphy.py (github.com/enjoy-digital/litesata, version 2024.12 on PyPI), "
                "with which boards exchanged data with drives",
    "library": "the default of the vendor's library, as Yosys' cells_xtra.v has it",
}

CHANNEL = (
    *rows("guide", """
        ALIGN_COMMA_WORD             4                        of the cell's own aligner, which is off
        RXBUF_EN                     "TRUE"                   the receive buffer takes up the phase of the word clock
        RXSLIDE_MODE                 "OFF"                    no shifts by RXSLIDE
        RX_DATA_WIDTH                40                       four raw characters a word
        RX_INT_DATAWIDTH             1                        the receiver's own datapath has 40 bits, too
        RX_XCLK_SEL                  "RXREC"                  and is written with the recovered clock
        TXBUF_EN                     "TRUE"                   the transmit buffer takes up the phase of the word clock
        TX_DATA_WIDTH                40                       four raw characters a word
        TX_INT_DATAWIDTH             1                        the transmitter's own datapath has 40 bits, too
        TX_XCLK_SEL                  "TXOUT"                  and is read with the serializer's clock
        """),
    *rows("LiteSATA", """
        ALIGN_COMMA_DOUBLE           "FALSE"                  of the cell's own aligner, which is off
        ALIGN_COMMA_ENABLE           10'b1111111111           of the cell's own aligner, which is off
        ALIGN_MCOMMA_DET             "TRUE"                   of the cell's own aligner, which is off
        ALIGN_MCOMMA_VALUE           10'b1010000011           of the cell's own aligner, which is off
        ALIGN_PCOMMA_DET             "TRUE"                   of the cell's own aligner, which is off
        ALIGN_PCOMMA_VALUE           10'b0101111100           of the cell's own aligner, which is off
        CBCC_DATA_SOURCE_SEL         "DECODED"                of clock correction, which is off
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
        CLK_CORRECT_USE              "FALSE"                  clock correction, which is off
        CLK_COR_KEEP_IDLE            "FALSE"                  clock correction, which is off
        CLK_COR_MAX_LAT              20                       fill of the receive buffer, correction or not
        CLK_COR_MIN_LAT              16                       the same
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
        CPLL_CFG                     24'hBC07DC               PLL, reserved
        CPLL_INIT_CFG                24'h00001E               PLL, reserved
        CPLL_LOCK_CFG                16'h01E8                 PLL, reserved
        DEC_MCOMMA_DETECT            "TRUE"                   8b/10b decoder, which is off
        DEC_PCOMMA_DETECT            "TRUE"                   8b/10b decoder, which is off
        DEC_VALID_COMMA_ONLY         "TRUE"                   8b/10b decoder, which is off
        DMONITOR_CFG                 24'h000A00               monitor, not used
        ES_CONTROL                   6'b000000                eye scan, not used
        ES_ERRDET_EN                 "FALSE"                  eye scan, not used
        ES_EYE_SCAN_EN               "TRUE"                   eye scan, not used
        ES_HORZ_OFFSET               12'h000                  eye scan, not used
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
        OUTREFCLK_SEL_INV            2'b11                    -
        PCS_PCIE_EN                  "FALSE"                  not PCI Express
        PD_TRANS_TIME_FROM_P2        12'h03C                  power states of PCI Express
        PD_TRANS_TIME_NONE_P2        8'h3C                    power states of PCI Express
        PD_TRANS_TIME_TO_P2          8'h64                    power states of PCI Express
        PMA_RSV                      32'h00018480             reserved
        PMA_RSV2                     16'h2050                 reserved
        PMA_RSV3                     2'b00                    reserved
        PMA_RSV4                     32'h00000000             reserved
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
        RXCDR_LOCK_CFG               6'b010101                clock recovery
        RXCDR_PH_RESET_ON_EIDLE      1'b0                     not in the hands of the signal detector
        RXDFELPMRESET_TIME           7'b0001111               units that a reset lasts
        RXDLY_CFG                    16'h001F                 phase alignment, which the buffer replaces
        RXDLY_LCFG                   9'h030                   phase alignment, which the buffer replaces
        RXDLY_TAP_CFG                16'h0000                 phase alignment, which the buffer replaces
        RXGEARBOX_EN                 "FALSE"                  gearbox, which is off
        RXISCANRESET_TIME            5'b00001                 units that a reset lasts
        RXLPM_HF_CFG                 14'b00000011110000       equaliser
        RXLPM_LF_CFG                 14'b00000011110000       equaliser
        RXOOB_CFG                    7'b0000110               threshold of the signal detector
        RXPCSRESET_TIME              5'b00001                 units that a reset lasts
        RXPHDLY_CFG                  24'h084020               phase alignment, which the buffer replaces
        RXPH_CFG                     24'h000000               phase alignment, which the buffer replaces
        RXPH_MONITOR_SEL             5'b00000                 phase alignment, which the buffer replaces
        RXPMARESET_TIME              5'b00011                 units that a reset lasts
        RXPRBS_ERR_LOOPBACK          1'b0                     pattern checker, not used
        RXSLIDE_AUTO_WAIT            7                        no shifts by RXSLIDE
        RX_BIAS_CFG                  12'b000000000100         -
        RX_BUFFER_CFG                6'b000000                receive buffer
        RX_CLKMUX_PD                 1'b1                     -
        RX_CM_SEL                    2'b11                    common mode of the input: programmable
        RX_CM_TRIM                   3'b010                   800 mV
        RX_DDI_SEL                   6'b000000                phase alignment, which the buffer replaces
        RX_DEBUG_CFG                 12'b000000000000         -
        RX_DEFER_RESET_BUF_EN        "TRUE"                   receive buffer
        RX_DFE_GAIN_CFG              23'h020FEA               equaliser
        RX_DFE_H2_CFG                12'b000000000000         equaliser
        RX_DFE_H3_CFG                12'b000001000000         equaliser
        RX_DFE_H4_CFG                11'b00011110000          equaliser
        RX_DFE_H5_CFG                11'b00011100000          equaliser
        RX_DFE_KL_CFG                13'b0000011111110        equaliser
        RX_DFE_KL_CFG2               32'h3310180C             equaliser
        RX_DFE_LPM_CFG               16'h0954                 equaliser
        RX_DFE_LPM_HOLD_DURING_EIDLE 1'b1                     equaliser: held where the signal detector sees nothing
        RX_DFE_UT_CFG                17'b10001111000000000    equaliser
        RX_DFE_VP_CFG                17'b00011111100000011    equaliser
        RX_DFE_XYD_CFG               13'b0000000000000        equaliser
        RX_DISPERR_SEQ_MATCH         "TRUE"                   8b/10b decoder, which is off
        RX_OS_CFG                    13'b0000010000000        offset of the input
        RX_SIG_VALID_DLY             10                       -
        SAS_MAX_COM                  64                       COMSAS, which is not used
        SAS_MIN_COM                  36                       COMSAS, which is not used
        SATA_BURST_SEQ_LEN           4'b0101                  bursts of a signal that goes out
        SATA_BURST_VAL               3'b100                   bursts until a signal counts
        SATA_CPLL_CFG                "VCO_3000MHZ"            bursts are timed for a PLL at 3 GHz
        SATA_EIDLE_VAL               3'b100                   gaps until a signal counts
        SATA_MAX_BURST               8                        longest burst, in halves of a clock of 25 MHz
        SATA_MAX_INIT                21                       longest gap of COMINIT
        SATA_MAX_WAKE                7                        longest gap of COMWAKE
        SATA_MIN_BURST               4                        shortest burst
        SATA_MIN_INIT                12                       shortest gap of COMINIT
        SATA_MIN_WAKE                4                        shortest gap of COMWAKE
        SHOW_REALIGN_COMMA           "TRUE"                   of the cell's own aligner, which is off
        SIM_RECEIVER_DETECT_PASS     "TRUE"                   of the vendor's simulation only
        SIM_RESET_SPEEDUP            "FALSE"                  of the vendor's simulation only
        SIM_TX_EIDLE_DRIVE_LEVEL     "X"                      of the vendor's simulation only
        SIM_VERSION                  "4.0"                    of the vendor's simulation only
        TERM_RCAL_CFG                5'b10000                 termination
        TERM_RCAL_OVRD               1'b0                     termination
        TRANS_TIME_RATE              8'h0E                    of a change of rate, which is not used
        TST_RSV                      32'h00000000             reserved
        TXBUF_RESET_ON_RATE_CHANGE   "TRUE"                   transmit buffer
        TXDLY_CFG                    16'h001F                 phase alignment, which the buffer replaces
        TXDLY_LCFG                   9'h030                   phase alignment, which the buffer replaces
        TXDLY_TAP_CFG                16'h0000                 phase alignment, which the buffer replaces
        TXGEARBOX_EN                 "FALSE"                  gearbox, which is off
        TXPCSRESET_TIME              5'b00001                 units that a reset lasts
        TXPHDLY_CFG                  24'h084020               phase alignment, which the buffer replaces
        TXPH_CFG                     16'h0780                 phase alignment, which the buffer replaces
        TXPH_MONITOR_SEL             5'b00000                 phase alignment, which the buffer replaces
        TXPMARESET_TIME              5'b00001                 units that a reset lasts
        TX_CLKMUX_PD                 1'b1                     -
        TX_DEEMPH0                   5'b00000                 no de-emphasis
        TX_DEEMPH1                   5'b00000                 no de-emphasis
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
        TX_QPI_STATUS_EN             1'b0                     QPI, which is off
        TX_RXDETECT_CFG              14'h1832                 receiver detection of PCI Express
        TX_RXDETECT_REF              3'b100                   receiver detection of PCI Express
        UCODEER_CLR                  1'b0                     8b/10b decoder, which is off
        """),
    *rows("library", """
        IS_CPLLLOCKDETCLK_INVERTED   1'b0                     clock not inverted
        IS_DRPCLK_INVERTED           1'b0                     clock not inverted
        IS_GTGREFCLK_INVERTED        1'b0                     clock not inverted
        IS_RXUSRCLK2_INVERTED        1'b0                     clock not inverted
        IS_RXUSRCLK_INVERTED         1'b0                     clock not inverted
        IS_TXPHDLYTSTCLK_INVERTED    1'b0                     clock not inverted
        IS_TXUSRCLK2_INVERTED        1'b0                     clock not inverted
        IS_TXUSRCLK_INVERTED         1'b0                     clock not inverted
        """),
)

#: The clock recovery by generation, for drives with spread spectrum (Xilinx Answer Record 53364; LiteSATA has
#: 0388... at Gen2 and ...1020_0010 at Gen3).
_RECOVERY = {1: 0x0380008BFF40100008, 2: 0x0380008BFF40200008, 3: 0x0380008BFF20200010}
#: The OOB circuit is powered; its clock is CLKRSVD[0], not the reference (PCS_RSVD_ATTR; LiteSATA, as above).
_OOB_POWERED, _OOB_CLKRSVD = 1 << 8, 1 << 3


def channel_attributes(generation, reference_hz, selected):
    """All attributes of GTXE2_CHANNEL, name to value, for a line rate and the reference of the PLL; ``selected``: its
    input, as CPLLREFCLKSEL has it."""
    feedback, feedback_45, divider = cpll(reference_hz)
    half = oob_clock_hz(generation, reference_hz) != reference_hz
    return {one.name: value(one.value) for one in CHANNEL} | {
        "CPLL_FBDIV": feedback, "CPLL_FBDIV_45": feedback_45, "CPLL_REFCLK_DIV": divider,
        "SIM_CPLLREFCLK_SEL": Const(selected, 3),
        "RXCDR_CFG": Const(_RECOVERY[generation], 72),
        "RXOUT_DIV": DIVIDERS[generation], "TXOUT_DIV": DIVIDERS[generation],
        "PCS_RSVD_ATTR": Const(_OOB_POWERED | half * _OOB_CLKRSVD, 48),
        # The OOB circuit counts in halves of a clock of 25 MHz, or as near to it as can be (UG476, RX_CLK25_DIV).
        "RX_CLK25_DIV": round(reference_hz / 25e6), "TX_CLK25_DIV": round(reference_hz / 25e6)}
