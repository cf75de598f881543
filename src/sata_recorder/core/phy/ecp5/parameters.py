"""Every parameter of the DCU (the cell DCUA) that is set, what it does and where it comes from.

The DCU's own documentation is Lattice's FPGA-TN-02206, the ECP5 and ECP5-5G SERDES/PCS Usage Guide
(TN1261 before). It names many of these and explains few; the analog ones it does not explain at
all. What is marked as reported was taken from a public design that works with it; :data:`SOURCES`
names the design. All that have bits in the bitstream are here, those at 0, too: nextpnr takes 0 for what
is missing, and other tools need not. The six that are texts (protocol, rates, amplitude) have none there.
"""

from dataclasses import dataclass

__all__ = ["LOS_LEVEL", "PARAMETERS", "SOURCES", "Parameter", "dcu_parameters"]

#: The threshold of the signal detector that worked on a board (LiteSATA).
LOS_LEVEL = 2
#: Where the values come from.
SOURCES = {
    "guide": "named by the usage guide FPGA-TN-02206, as Yumewatari (github.com/whitequark/"
             "Yumewatari, lattice_ecp5.py) and LiteICLink quote it",
    "LiteICLink": "reported: liteiclink/serdes/serdes_ecp5.py (github.com/enjoy-digital/"
                  "liteiclink), the values of Lattice's sample code for 10BSER",
    "OOB": "reported: LiteICLink's pull request 33, OOB on the ECP5",
    "nextpnr": "the value that nextpnr takes for a parameter that is missing (its ecp5/dcu_bitstream.h, which "
               "has the widths, too), with which the designs above run",
    "LiteSATA": "reported: litesata/phy/ecp5sataphy.py (github.com/enjoy-digital/litesata), with "
                "which a board exchanged data with a drive at Gen2",
}


@dataclass(frozen=True)
class Parameter:
    """``name`` begins with ``D_`` or, where each channel has its own, with ``CH_``."""

    name: str
    value: str
    meaning: str
    source: str


def _rows(source, text):
    """One parameter a line: name, value, meaning."""
    return [Parameter(*line.split(None, 2), source) for line in text.strip().splitlines()]


PARAMETERS = (
    *_rows("guide", """
        D_MACROPDB              0b1     the whole dual is powered
        D_TXPLL_PWDNB           0b1     the transmitter's PLL is powered
        D_REFCK_MODE            0b000   bit clock is 20 times the reference: 150 MHz to 3 GHz
        D_TX_VCO_CK_DIV         0b000   and not divided
        CH_RX_DCO_CK_DIV        0b000   nor that of the receiver
        D_LOW_MARK              0d4     clock compensation FIFO, which is bypassed
        D_HIGH_MARK             0d12    the same
        CH_UC_MODE              0b1     user configured: neither of the protocols
        CH_ENC_BYPASS           0b1     no 8b/10b encoder
        CH_DEC_BYPASS           0b1     no 8b/10b decoder
        CH_CTC_BYPASS           0b1     no clock compensation: it would drop and insert characters
        CH_MIN_IPG_CNT          0b11    of that compensation
        CH_TX_GEAR_MODE         0b1     two characters a word
        CH_RX_GEAR_MODE         0b1     the same
        CH_FF_TX_H_CLK_EN       0b1     word clock at half the character rate
        CH_FF_TX_F_CLK_DIS      0b1     and none at the full one
        CH_FF_RX_H_CLK_EN       0b1     the same for the receiver
        CH_FF_RX_F_CLK_DIS      0b1     the same
        CH_SEL_SD_RX_CLK        0b1     the receive FIFO is written with the recovered clock
        CH_TPWDNB               0b1     the transmitter is powered
        CH_RPWDNB               0b1     the receiver is powered
        CH_RTERM_TX             0d19    50 ohms
        CH_RTERM_RX             0d19    50 ohms
        CH_TDRV_SLICE0_SEL      0b01    main data
        CH_TDRV_SLICE0_CUR      0b011   400 uA
        CH_TDRV_SLICE1_SEL      0b00    off
        CH_TDRV_SLICE1_CUR      0b000   100 uA
        CH_TDRV_SLICE2_SEL      0b01    main data
        CH_TDRV_SLICE2_CUR      0b11    3200 uA
        CH_TDRV_SLICE3_SEL      0b01    main data
        CH_TDRV_SLICE3_CUR      0b10    2400 uA
        CH_TDRV_SLICE4_SEL      0b00    off
        CH_TDRV_SLICE4_CUR      0b00    800 uA
        CH_TDRV_SLICE5_SEL      0b00    off
        CH_TDRV_SLICE5_CUR      0b00    800 uA
        CH_RLOS_SEL             0b1     loss of signal from the detector of this channel
        CH_RX_LOS_EN            0b1     the detector is on
        CH_UDF_COMMA_MASK       0x3ff   the DCU's own aligner, which raw words do not use
        CH_UDF_COMMA_A          0x283   K28.5
        CH_UDF_COMMA_B          0x17C   K28.5, the other disparity
        """),
    *_rows("OOB", """
        D_BITCLK_LOCAL_EN       0b1     bit clock of the own PLL
        D_SYNC_LOCAL_EN         0b1     starts the gearing: without it the PLL locks and the word \
clock of the transmitter stops
        CH_LSM_DISABLE          0b1     no link state machine: it would hold the word boundary
        CH_ENABLE_CG_ALIGN      0b1     of no effect on raw words
        """),
    *_rows("LiteICLink", """
        D_IB_PWDNB              0b1     not documented; nothing is received without it
        D_CMUSETBIASI           0b00    transmitter's PLL, not documented, to D_PD_ISET
        D_CMUSETI4CPP           0d3     -
        D_CMUSETI4CPZ           0d3     -
        D_CMUSETI4VCO           0b00    -
        D_CMUSETICP4P           0b01    -
        D_CMUSETICP4Z           0b101   -
        D_CMUSETINITVCT         0b00    -
        D_CMUSETISCL4VCO        0b000   -
        D_CMUSETP1GM            0b000   -
        D_CMUSETP2AGM           0b000   -
        D_CMUSETZGM             0b000   -
        D_SETIRPOLY_AUX         0b01    -
        D_SETICONST_AUX         0b01    -
        D_SETIRPOLY_CH          0b01    -
        D_SETICONST_CH          0b10    -
        D_SETPLLRC              0d1     -
        D_RG_EN                 0b0     -
        D_RG_SET                0b00    -
        D_REQ_ISET              0b011   -
        D_PD_ISET               0b11    -
        CH_AUTO_FACQ_EN         0b1     receiver's oscillator, not documented, to CH_DCOSTEP
        CH_AUTO_CALIB_EN        0b1     -
        CH_DCOATDCFG            0b00    -
        CH_DCOATDDLY            0b00    -
        CH_DCOBYPSATD           0b1     -
        CH_DCOCALDIV            0b000   -
        CH_DCOCTLGI             0b011   -
        CH_DCODISBDAVOID        0b0     -
        CH_DCOFLTDAC            0b00    -
        CH_DCOFTNRG             0b001   -
        CH_DCOIOSTUNE           0b010   -
        CH_DCOITUNE             0b00    -
        CH_DCOITUNE4LSB         0b010   -
        CH_DCOIUPDNX2           0b1     -
        CH_DCONUOFLSB           0b100   -
        CH_DCOSCALEI            0b01    -
        CH_DCOSTARTVAL          0b010   -
        CH_DCOSTEP              0b11    -
        CH_RX_RATE_SEL          0d10    pole of the equaliser
        CH_RXIN_CM              0b11    common mode of the input
        CH_RX_LOS_CEQ           0b11    equaliser of the signal detector
        """),
    *_rows("nextpnr", """
        D_BITCLK_FROM_ND_EN     0b0         bit clock of the neighbouring dual: none
        D_BITCLK_ND_EN          0b0         bit clock for the neighbouring dual: none
        D_BUS8BIT_SEL           0b0         no words of 8 bits
        D_DCO_CALIB_TIME_SEL    0b00        time of the calibration of the receiver's oscillator
        D_ISETLOS               0b00000000  current of the signal detector
        D_PLL_LOL_SET           0b00        when the transmitter's PLL counts as locked
        D_SYNC_ND_EN            0b0         gearing is not started by the neighbouring dual
        D_XGE_MODE              0b0         not 10 Gb Ethernet
        CH_BAND_THRESHOLD       0b000000    -
        CH_CALIB_CK_MODE        0b0         -
        CH_CC_MATCH_1           0x000       clock compensation, which is bypassed
        CH_CC_MATCH_2           0x000       clock compensation, which is bypassed
        CH_CC_MATCH_3           0x000       clock compensation, which is bypassed
        CH_CC_MATCH_4           0x000       clock compensation, which is bypassed
        CH_CDR_CNT4SEL          0b00        -
        CH_CDR_CNT8SEL          0b00        -
        CH_GE_AN_ENABLE         0b0         no auto-negotiation of Gigabit Ethernet
        CH_INVERT_RX            0b0         P and N as they are: the PHY finds out
        CH_INVERT_TX            0b0         the same
        CH_LDR_CORE2TX_SEL      0b0         no low data rate path
        CH_LDR_RX2CORE_SEL      0b0         the same
        CH_LEQ_OFFSET_SEL       0b0         offset of the equaliser
        CH_LEQ_OFFSET_TRIM      0b000       the same
        CH_MATCH_2_ENABLE       0b0         clock compensation, which is bypassed
        CH_MATCH_4_ENABLE       0b0         the same
        CH_PCIE_EI_EN           0b0         no electrical idle of PCI Express
        CH_PCIE_MODE            0b0         not PCI Express
        CH_PCS_DET_TIME_SEL     0b00        receiver detection of PCI Express
        CH_PRBS_ENABLE          0b0         no pattern generator
        CH_PRBS_LOCK            0b0         the same
        CH_PRBS_SELECTION       0b0         the same
        CH_RATE_MODE_RX         0b0         full rate
        CH_RATE_MODE_TX         0b0         full rate
        CH_RCV_DCC_EN           0b0         the input is coupled by capacitors
        CH_REG_BAND_OFFSET      0b0000      band of the receiver's oscillator, found by itself
        CH_REG_BAND_SEL         0b000000    the same
        CH_REG_IDAC_EN          0b0         the same
        CH_REG_IDAC_SEL         0x000       the same
        CH_RIO_MODE             0b0         not Serial RapidIO
        CH_RX_DIV11_SEL         0b0         no division by 11, which is for video
        CH_RX_GEAR_BYPASS       0b0         the gearing is used
        CH_RX_SB_BYPASS         0b0         the bridge to the fabric is used
        CH_SB_BYPASS            0b0         the same
        CH_TDRV_DAT_SEL         0b00        data of the serializer
        CH_TDRV_POST_EN         0b0         no de-emphasis
        CH_TDRV_PRE_EN          0b0         no pre-emphasis
        CH_TX_CM_SEL            0b00        common mode of the output
        CH_TX_DIV11_SEL         0b0         no division by 11
        CH_TX_GEAR_BYPASS       0b0         the gearing is used
        CH_TX_POST_SIGN         0b0         of the de-emphasis, which is off
        CH_TX_PRE_SIGN          0b0         of the pre-emphasis, which is off
        CH_WA_BYPASS            0b0         of no effect on raw words
        CH_WA_MODE              0b0         the same
        """),
    *_rows("LiteSATA", """
        D_CDR_LOL_SET           0b10    in lock within 4000 ppm, out of lock beyond 7000 ppm
        CH_REQ_EN               0b1     the equaliser is on
        CH_REQ_LVL_SET          0b01    9 dB
        CH_RXTERM_CM            0b10    termination to ground
        CH_RX_LOS_LVL           0b010   threshold of the signal detector, 0 is the most sensitive; option los_level
        CH_RX_LOS_HYST_EN       0b0     and without hysteresis
        CH_PDEN_SEL             0b0     the phase detector does not depend on the signal detector
        """),
)


def dcu_parameters(channel, los_level=LOS_LEVEL):
    """The parameters of the cell, name to value, with the names of ``channel`` (0 or 1)."""
    values = {one.name: one.value for one in PARAMETERS} | {"CH_RX_LOS_LVL": f"0b{los_level:03b}"}
    return {name.replace("CH_", f"CH{channel}_", 1) if name.startswith("CH_") else name: value
            for name, value in values.items()}
