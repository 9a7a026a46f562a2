// Quantity: device.sm_clock_mhz
// Keys: device.sm_clock_mhz
// SASS: clock_under_load FFMA >= 64
// All SMs run FP32 multiply-add for some milliseconds; cycles of an SM over nanoseconds of the device are its clock.
// Median of the SMs. What the clock comes to under a load is the board's power limit's matter: this load is a heavy
// one.

static __global__ void clock_under_load(int64_t ns, float factor, float *results, Timed *timed)
{
    int64_t start_ns = device_ns(), start = clock_cycles();
    multiply_add_for(ns, factor, results);
    int64_t stop = clock_cycles(), stop_ns = device_ns();
    if (threadIdx.x == 0)
        timed[blockIdx.x] = {stop - start, stop_ns - start_ns};
}

static void device_sm_clock_mhz(const Plan &plan)
{
    enum { THREADS = 256, BLOCKS_PER_SM = 4 };
    int blocks = BLOCKS_PER_SM * sm_count();
    DeviceArray<float> results(static_cast<size_t>(blocks) * THREADS);
    DeviceArray<Timed> timed(static_cast<size_t>(blocks));
    for (int milliseconds : {10, 50}) {
        Samples mhz = sampled(plan, [&] {
            int64_t ns = int64_t{1'000'000} * milliseconds;
            clock_under_load<<<blocks, THREADS>>>(ns, 0.25f, results.data(), timed.data());
            CHECK_KERNELS();
            return median(sm_mhz(timed.on_host()));
        });
        write_series(plan, "clock", {{"milliseconds", milliseconds}}, "MHz", mhz);
    }
}
