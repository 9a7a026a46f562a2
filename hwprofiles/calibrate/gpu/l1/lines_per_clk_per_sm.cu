// Quantity: l1.lines_per_clk_per_sm
// Keys: l1.lines_per_clk_per_sm
// SASS: read_l1_lines LDG\.E(\.SYS)? >= 8
// Loads of 4 bytes per lane whose lanes touch several 128-byte lines, all of which L1 holds: neighbouring lanes share a
// line until it is used up, and no two lanes read the same word. Many requests are in flight, so that the time is what
// L1 needs to look the lines up. Method: X. Mei, X. Chu, IEEE TPDS 2017, for L1; the loop: cached_loads.cuh.

static __global__ void __launch_bounds__(1024)
    read_l1_lines(const uint32_t *region, int passes, int lines, uint32_t *results, WarpTime *times)
{
    unsigned lane = threadIdx.x % 32, lanes_per_line = 32 / static_cast<unsigned>(lines);
    uint64_t lane_address =
        __cvta_generic_to_global(region) + lane / lanes_per_line * 128 + lane % lanes_per_line * sizeof(uint32_t);
    read_rows<FromL1, uint32_t>(lane_address, passes, results, times);
}

static void l1_lines_per_clk_per_sm(const Plan &plan)
{
    prefer_l1(read_l1_lines);
    for (int lines : {1, 2, 4, 8, 16, 32})
        write_request_cycles(plan, "request", "lines_per_request", read_l1_lines, lines);
}
