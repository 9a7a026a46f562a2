// Quantity: shared.latency_cycles
// Keys: shared.latency_cycles
// SASS: chase_shared LDS(\.U)? >= 32
// A pointer chase by one thread, each word of shared memory holding the next one's address. The order is that of a
// linear congruential generator with full period (multiplier 1 modulo 4, odd increment): one cycle through all words.
// Method: H. Wong et al., ISPASS 2010.

enum { SHARED_RING_WORDS = 1024 };

static __global__ void chase_shared(int loads, int samples, Timed *timed, uint32_t *end)
{
    __shared__ uint32_t ring[SHARED_RING_WORDS];
    uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(ring)), at = base;
#pragma unroll 1
    for (uint32_t i = 0; i < SHARED_RING_WORDS; i++)
        ring[i] = base + 4 * ((421 * i + 83) % SHARED_RING_WORDS);
    __syncthreads();
#pragma unroll 1
    for (int sample = 0; sample < samples; sample++) {
        int64_t start = clock_cycles();
#pragma unroll 1
        for (int i = 0; i < loads; i += CHASE_UNROLL)
#pragma unroll
            for (int j = 0; j < CHASE_UNROLL; j++)
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
        int64_t stop = clock_cycles();
        timed[sample] = {stop - start, 0};
    }
    *end = at;
}

static void shared_latency_cycles(const Plan &plan)
{
    enum { LOADS = 2048 };
    DeviceArray<Timed> timed(static_cast<size_t>(plan.warm_ups + plan.samples));
    DeviceArray<uint32_t> end(1);
    chase_shared<<<1, 1>>>(LOADS, plan.warm_ups + plan.samples, timed.data(), end.data());
    CHECK_KERNELS();
    std::vector<Timed> all = timed.on_host();
    all.erase(all.begin(), all.begin() + plan.warm_ups);
    write_series(plan, "latency", {{"footprint_bytes", 4 * SHARED_RING_WORDS}}, "cycles", cycles_per_load(all, LOADS));
}
