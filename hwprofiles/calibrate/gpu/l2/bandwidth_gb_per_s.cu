// Quantity: l2.bandwidth_gb_per_s
// Keys: l2.bandwidth_gb_per_s
// SASS: read_l2 LDG\.E\.128\.STRONG\.GPU >= 4
// All SMs read the same footprint again and again, 16 bytes per load with ld.cg, which goes past L1; L2 holds it.
// SMs are at different places at a time. Method: E. Konstantinidis, Y. Cotronis, "A quantitative
// performance evaluation of fast on-chip memories of GPUs", PDP 2016; RRZE-HPC/gpu-benches (gpu-l2-cache).

static __device__ __forceinline__ uint4 load_past_l1(const uint4 *at)
{
    uint4 value;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(at));
    return value;
}

enum { L2_LOADS_AT_ONCE = 4 };

// `iterations` times 4 loads of each thread, around and around `count`, a power of two, elements.
static __global__ void read_l2(const uint4 *memory, uint32_t count, int iterations, uint32_t *results)
{
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x, at = thread, sum = 0;
    for (int i = 0; i < iterations; i++, at += L2_LOADS_AT_ONCE * threads) {
        uint4 values[L2_LOADS_AT_ONCE];
#pragma unroll
        for (int j = 0; j < L2_LOADS_AT_ONCE; j++)
            values[j] = load_past_l1(memory + ((at + j * threads) & (count - 1)));
#pragma unroll
        for (int j = 0; j < L2_LOADS_AT_ONCE; j++)
            sum ^= mixed(values[j]);
    }
    results[thread] = sum;
}

static void l2_bandwidth_gb_per_s(const Plan &plan)
{
    enum { THREADS = 256 };
    unsigned blocks = static_cast<unsigned>(sm_count() * resident_blocks(read_l2, THREADS));
    size_t threads = size_t{blocks} * THREADS, per_iteration = threads * L2_LOADS_AT_ONCE * sizeof(uint4);
    int iterations = static_cast<int>((size_t{plan.quick ? 1u : 4u} << 30) / per_iteration);
    size_t most = power_of_two_within(l2_bytes() / 2);
    DeviceArray<uint4> memory(most / sizeof(uint4));
    DeviceArray<uint32_t> results(threads);
    EventTimer timer;
    fill_random(memory);
    for (size_t footprint = plan.quick ? most : most / 4; footprint <= most; footprint *= 2) {
        uint32_t count = static_cast<uint32_t>(footprint / sizeof(uint4));
        Samples rates = sampled(plan, [&] {
            double s = timer.seconds(
                [&] { read_l2<<<blocks, THREADS>>>(memory.data(), count, iterations, results.data()); });
            return 1e-9 * static_cast<double>(per_iteration) * iterations / s;
        });
        write_series(plan, "read", {{"footprint_bytes", footprint}}, "GB/s", rates);
    }
}
