// The recorder's core with a memory, and LiteDRAM below its AXI4 port: what recorder.toml and ecpix5.yml describe.
//
// All is in user_clk, which LiteDRAM makes of the board's 100 MHz. The core is in reset until somebody has initialised
// the DRAM through wb_ctrl and has written 1 to ddrctrl_init_done there.

module ecpix5_memory (
    input  wire          clk100,
    input  wire          rst,

    // The DDR3 of the board. LiteDRAM drives ddram_clk_p and ddram_dqs_p by differential pads.
    output wire   [14:0] ddram_a,
    output wire    [2:0] ddram_ba,
    output wire          ddram_cas_n,
    output wire          ddram_cke,
    output wire          ddram_clk_p,
    output wire    [1:0] ddram_dm,
    inout  wire   [15:0] ddram_dq,
    inout  wire    [1:0] ddram_dqs_p,
    output wire          ddram_odt,
    output wire          ddram_ras_n,
    output wire          ddram_we_n,

    // Who initialises the DRAM: Wishbone, 32 bits, addresses in words.
    input  wire   [29:0] wb_ctrl_adr,
    input  wire   [31:0] wb_ctrl_dat_w,
    output wire   [31:0] wb_ctrl_dat_r,
    input  wire    [3:0] wb_ctrl_sel,
    input  wire          wb_ctrl_cyc,
    input  wire          wb_ctrl_stb,
    input  wire          wb_ctrl_we,
    output wire          wb_ctrl_ack,
    output wire          wb_ctrl_err,

    // The clock of all below.
    output wire          user_clk,
    output wire          user_rst,

    // The PHY of the link.
    output wire   [31:0] phy_tx_data,
    output wire    [3:0] phy_tx_k,
    input  wire          phy_tx_ready,
    input  wire   [31:0] phy_rx_data,
    input  wire    [3:0] phy_rx_k,
    input  wire          phy_rx_valid,
    input  wire          phy_rx_error,
    input  wire          phy_link_up,
    input  wire    [1:0] phy_generation,
    output wire          phy_reset,
    output wire    [1:0] phy_limit,

    // The user.
    input  wire   [31:0] s_axis_tdata,
    input  wire          s_axis_tvalid,
    output wire          s_axis_tready,
    output wire   [31:0] m_axis_tdata,
    output wire          m_axis_tvalid,
    output wire          m_axis_tlast,
    input  wire          m_axis_tready,
    input  wire          start,
    input  wire    [1:0] operation,
    input  wire   [47:0] lba,
    input  wire   [47:0] sectors,
    input  wire          stop,
    output wire          ready,
    output wire          busy,
    output wire          done,
    output wire    [3:0] error,
    output wire   [47:0] memory_high_water,
    output wire   [47:0] memory_waits,
    output wire    [1:0] memory_failure
);
    wire         init_done;
    wire  [39:0] awaddr, araddr;
    wire   [7:0] awlen, arlen;
    wire   [2:0] awsize, arsize;
    wire   [1:0] awburst, arburst, bresp, rresp;
    wire         awvalid, awready, wlast, wvalid, wready, bvalid, bready;
    wire         arvalid, arready, rlast, rvalid, rready;
    wire [127:0] wdata, rdata;
    wire  [15:0] wstrb;

    litedram_ecpix5 dram (
        .clk (clk100), .rst (rst), .pll_locked (), .init_done (init_done), .init_error (),
        .ddram_a (ddram_a), .ddram_ba (ddram_ba), .ddram_cas_n (ddram_cas_n), .ddram_cke (ddram_cke),
        .ddram_clk_n (1'b0), .ddram_clk_p (ddram_clk_p), .ddram_cs_n (), .ddram_dm (ddram_dm),
        .ddram_dq (ddram_dq), .ddram_dqs_n (2'b00), .ddram_dqs_p (ddram_dqs_p), .ddram_odt (ddram_odt),
        .ddram_ras_n (ddram_ras_n), .ddram_reset_n (), .ddram_we_n (ddram_we_n),
        .user_clk (user_clk), .user_rst (user_rst),
        // LiteDRAM's sizes have a bit more than AXI4's.
        .user_port_m_axi_awid (1'b0), .user_port_m_axi_awaddr (awaddr[28:0]), .user_port_m_axi_awlen (awlen),
        .user_port_m_axi_awsize ({1'b0, awsize}), .user_port_m_axi_awburst (awburst),
        .user_port_m_axi_awvalid (awvalid), .user_port_m_axi_awready (awready),
        .user_port_m_axi_wdata (wdata), .user_port_m_axi_wstrb (wstrb), .user_port_m_axi_wlast (wlast),
        .user_port_m_axi_wvalid (wvalid), .user_port_m_axi_wready (wready),
        .user_port_m_axi_bid (), .user_port_m_axi_bresp (bresp), .user_port_m_axi_bvalid (bvalid),
        .user_port_m_axi_bready (bready),
        .user_port_m_axi_arid (1'b0), .user_port_m_axi_araddr (araddr[28:0]), .user_port_m_axi_arlen (arlen),
        .user_port_m_axi_arsize ({1'b0, arsize}), .user_port_m_axi_arburst (arburst),
        .user_port_m_axi_arvalid (arvalid), .user_port_m_axi_arready (arready),
        .user_port_m_axi_rid (), .user_port_m_axi_rdata (rdata), .user_port_m_axi_rresp (rresp),
        .user_port_m_axi_rlast (rlast), .user_port_m_axi_rvalid (rvalid), .user_port_m_axi_rready (rready),
        .wb_ctrl_adr (wb_ctrl_adr), .wb_ctrl_bte (2'b00), .wb_ctrl_cti (3'b000), .wb_ctrl_cyc (wb_ctrl_cyc),
        .wb_ctrl_dat_r (wb_ctrl_dat_r), .wb_ctrl_dat_w (wb_ctrl_dat_w), .wb_ctrl_sel (wb_ctrl_sel),
        .wb_ctrl_stb (wb_ctrl_stb), .wb_ctrl_we (wb_ctrl_we), .wb_ctrl_ack (wb_ctrl_ack), .wb_ctrl_err (wb_ctrl_err));

    sata_recorder recorder (
        .clk (user_clk), .rst (user_rst | ~init_done),
        .phy_tx_data (phy_tx_data), .phy_tx_k (phy_tx_k), .phy_tx_ready (phy_tx_ready),
        .phy_rx_data (phy_rx_data), .phy_rx_k (phy_rx_k), .phy_rx_valid (phy_rx_valid),
        .phy_rx_error (phy_rx_error), .phy_link_up (phy_link_up), .phy_generation (phy_generation),
        .phy_reset (phy_reset), .phy_limit (phy_limit),
        .s_axis_tdata (s_axis_tdata), .s_axis_tvalid (s_axis_tvalid), .s_axis_tready (s_axis_tready),
        .m_axis_tdata (m_axis_tdata), .m_axis_tvalid (m_axis_tvalid), .m_axis_tlast (m_axis_tlast),
        .m_axis_tready (m_axis_tready),
        .start (start), .operation (operation), .lba (lba), .sectors (sectors), .stop (stop),
        .ready (ready), .busy (busy), .done (done), .error (error),
        .identify_address (7'd0), .ledger_address (5'd0), .journal_address (7'd0), .clear_unflushed (1'b0),
        .memory_abandon (1'b0), .memory_high_water (memory_high_water), .memory_waits (memory_waits),
        .memory_failure (memory_failure),
        .m_axi_awaddr (awaddr), .m_axi_awlen (awlen), .m_axi_awsize (awsize), .m_axi_awburst (awburst),
        .m_axi_awvalid (awvalid), .m_axi_awready (awready),
        .m_axi_wdata (wdata), .m_axi_wstrb (wstrb), .m_axi_wlast (wlast), .m_axi_wvalid (wvalid),
        .m_axi_wready (wready),
        .m_axi_bid (1'b0), .m_axi_bresp (bresp), .m_axi_bvalid (bvalid), .m_axi_bready (bready),
        .m_axi_araddr (araddr), .m_axi_arlen (arlen), .m_axi_arsize (arsize), .m_axi_arburst (arburst),
        .m_axi_arvalid (arvalid), .m_axi_arready (arready),
        .m_axi_rid (1'b0), .m_axi_rdata (rdata), .m_axi_rresp (rresp), .m_axi_rlast (rlast),
        .m_axi_rvalid (rvalid), .m_axi_rready (rready));
endmodule
