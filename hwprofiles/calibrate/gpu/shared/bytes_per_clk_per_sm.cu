// Quantity: shared.bytes_per_clk_per_sm
// Keys: shared.bytes_per_clk_per_sm
// SASS: read_shared LDS(\.U)?(\.64|\.128)? >= 8
// Loads without conflicts, 8 in flight in each thread: neighbouring lanes read neighbouring words (pairs, fours).
// Method: Z. Jia et al., arXiv:1804.06826; the loop: cached_loads.cuh.

// Copies the region into the block's shared memory; the address of its first byte there.
static __device__ __forceinline__ uint32_t region_in_shared(const uint32_t *region)
{
    __shared__ __align__(16) uint32_t copy[REGION_BYTES / sizeof(uint32_t)];
    for (unsigned i = threadIdx.x; i < REGION_BYTES / sizeof(uint32_t); i += blockDim.x)
        copy[i] = region[i];
    __syncthreads();
    return static_cast<uint32_t>(__cvta_generic_to_shared(copy));
}

template <class Value>
static __global__ void __launch_bounds__(1024)
    read_shared(const uint32_t *region, int passes, int, uint32_t *results, WarpTime *times)
{
    uint32_t lane_address = region_in_shared(region) + threadIdx.x % 32 * static_cast<uint32_t>(sizeof(Value));
    read_rows<FromShared, Value>(lane_address, passes, results, times);
}

static void shared_bytes_per_clk_per_sm(const Plan &plan)
{
    write_read_bandwidth(plan, read_shared<uint32_t>, 4);
    write_read_bandwidth(plan, read_shared<uint2>, 8);
    write_read_bandwidth(plan, read_shared<uint4>, 16);
}
