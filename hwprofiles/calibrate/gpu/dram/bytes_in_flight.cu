// Quantity: dram.bytes_in_flight
// Keys: device.memory_warps_to_peak
// SASS: read_waiting LDG\.E(\.128)?\.STRONG\.GPU >= 1
// Each thread asks for so many bytes, waits for them and asks for the next: what it gets says where they are, as far as
// the compiler knows. Over the number of warps the bandwidth rises (Little's law: bytes in flight / latency) until the
// memory is busy. Array far beyond L2; each launch goes on where the one before stopped. Method: V. Volkov,
// "Understanding Latency Hiding on GPUs", PhD thesis, UC Berkeley 2016.

static __device__ __forceinline__ uint32_t mixed_past_l1(const uint32_t *at)
{
    uint32_t value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at));
    return value;
}

static __device__ __forceinline__ uint32_t mixed_past_l1(const uint4 *at) { return mixed(load_past_l1(at)); }

// LOADS of a Value in flight per thread. `count` is a power of two; `mask` is 0.
template <class Value, int LOADS>
static __global__ void read_waiting(const Value *memory, uint32_t count, uint32_t start, int iterations, uint32_t mask,
                                    uint32_t *results)
{
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x, at = start + thread;
    for (int i = 0; i < iterations; i++) {
        uint32_t got[LOADS], all = 0;
#pragma unroll
        for (int j = 0; j < LOADS; j++)
            got[j] = mixed_past_l1(memory + ((at + j * threads) & (count - 1)));
#pragma unroll
        for (int j = 0; j < LOADS; j++)
            all ^= got[j];
        at += LOADS * threads + (all & mask);
    }
    results[thread] = at;
}

template <class Value, int LOADS> static void write_bytes_in_flight(const Plan &plan, const DeviceArray<uint4> &memory)
{
    enum { BYTES_PER_THREAD = LOADS * sizeof(Value) };
    int iterations = plan.quick ? 500 : 2000;
    const Value *values = reinterpret_cast<const Value *>(memory.data());
    uint32_t start = 0, count = static_cast<uint32_t>(memory.bytes() / sizeof(Value));
    EventTimer timer;
    for (int warps : warp_counts(plan)) {
        Residency on = residency(warps);
        if (!fits(read_waiting<Value, LOADS>, on))
            continue;
        uint32_t threads = 32 * static_cast<uint32_t>(on.warps());
        DeviceArray<uint32_t> results(threads);
        Samples rates = sampled(plan, [&] {
            double s = timer.seconds([&] {
                read_waiting<Value, LOADS>
                    <<<on.blocks(), on.threads()>>>(values, count, start, iterations, 0, results.data());
            });
            start += threads * LOADS * static_cast<uint32_t>(iterations); // wraps as the kernel's index does
            return 1e-9 * BYTES_PER_THREAD * threads * iterations / s;
        });
        write_series(plan, "bandwidth", {{"warps_per_sm", warps}, {"bytes_per_thread", int{BYTES_PER_THREAD}}}, "GB/s",
                     rates);
    }
}

static void dram_bytes_in_flight(const Plan &plan)
{
    DeviceArray<uint4> memory(beyond_l2_bytes(8, size_t{plan.quick ? 256u : 1024u} << 20) / sizeof(uint4));
    fill_random(memory);
    write_bytes_in_flight<uint32_t, 1>(plan, memory);
    write_bytes_in_flight<uint4, 1>(plan, memory);
    write_bytes_in_flight<uint4, 4>(plan, memory);
}
