// Quantity: l1.bytes_per_clk_per_sm
// Keys: l1.bytes_per_clk_per_sm
// SASS: read_l1 LDG\.E(\.64|\.128)?(\.SYS)? >= 8
// Coalesced loads of a region of 12 KiB that L1 holds, 8 in flight in each thread: neighbouring lanes read
// neighbouring words (pairs, fours). Method: Z. Jia et al., arXiv:1804.06826; the loop: cached_loads.cuh.

template <class Value>
static __global__ void __launch_bounds__(1024)
    read_l1(const uint32_t *region, int passes, int, uint32_t *results, WarpTime *times)
{
    uint64_t lane_address = __cvta_generic_to_global(region) + threadIdx.x % 32 * sizeof(Value);
    read_rows<FromL1, Value>(lane_address, passes, results, times);
}

template <class Kernel> static void prefer_l1(Kernel kernel)
{
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1));
}

static void l1_bytes_per_clk_per_sm(const Plan &plan)
{
    prefer_l1(read_l1<uint32_t>);
    prefer_l1(read_l1<uint2>);
    prefer_l1(read_l1<uint4>);
    write_read_bandwidth(plan, read_l1<uint32_t>, 4);
    write_read_bandwidth(plan, read_l1<uint2>, 8);
    write_read_bandwidth(plan, read_l1<uint4>, 16);
}
