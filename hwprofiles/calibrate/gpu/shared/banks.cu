// Quantity: shared.banks
// Keys: shared.banks
// SASS: read_shared_strided LDS(\.U)? >= 8
// Requests whose lanes read words `stride_words` apart, so that several lanes want the same bank: it gives them one
// after the other. Many requests are in flight, so that the time is the bank's, not the latency. Method: X. Mei, X.
// Chu, "Dissecting GPU Memory Hierarchy through Microbenchmarking", IEEE TPDS 2017.

static __global__ void __launch_bounds__(1024)
    read_shared_strided(const uint32_t *region, int passes, int stride_words, uint32_t *results, WarpTime *times)
{
    uint32_t lane_address = region_in_shared(region) + threadIdx.x % 32 * static_cast<uint32_t>(4 * stride_words);
    read_rows<FromShared, uint32_t>(lane_address, passes, results, times);
}

static void shared_banks(const Plan &plan)
{
    for (int stride_words : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 31, 32, 33, 48, 64})
        write_request_cycles(plan, "conflict", "stride_words", read_shared_strided, stride_words);
}
