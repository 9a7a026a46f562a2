// Quantity: dram.latency_cycles
// Keys: dram.latency_cycles
// SASS: chase_l2 LDG\.E\.64\.STRONG\.GPU >= 32
// A pointer chase with ld.cg, no place twice, through 8 and more times what L2 holds. Random over all of it, a load
// also waits for the translation of its address, which the TLBs don't hold; random within one window of 2 MiB (a page
// of cudaMalloc's memory) after the other, next to none does. Method and its source: pointer_chase.cuh.

// Puts other data into L2: more than it holds, since it need not evict the oldest.
static void evict_l2()
{
    DeviceArray<char> other(4 * l2_bytes());
    other.fill(0);
    CHECK(cudaDeviceSynchronize());
}

static void write_dram_chase(const Plan &plan, const char *series, size_t footprint_bytes, size_t window_bytes,
                             bool with_clock)
{
    enum { STRIDE_BYTES = 256, WARM_LOADS = 512, LOADS = 1024 };
    Ring ring(footprint_bytes, STRIDE_BYTES, window_bytes);
    if (ring.places() < WARM_LOADS + static_cast<size_t>(plan.samples) * LOADS)
        FAIL("too little memory is free for a chase without repetitions");
    evict_l2();
    std::vector<Timed> timed = ring.run(chase_l2, WARM_LOADS, LOADS, plan.samples);
    Coordinates x = {{"footprint_bytes", footprint_bytes}, {"stride_bytes", STRIDE_BYTES}};
    write_series(plan, series, x, "cycles", cycles_per_load(timed, LOADS));
    if (with_clock)
        write_series(plan, "clock", x, "MHz", sm_mhz(timed));
}

static void dram_latency_cycles(const Plan &plan)
{
    size_t least = beyond_l2_bytes(8, size_t{64} << 20), most = plan.quick ? least : 4 * least;
    write_dram_chase(plan, "latency_near", least, size_t{2} << 20, false);
    for (size_t footprint = least; footprint <= most && footprint <= free_bytes() / 2; footprint *= 2)
        write_dram_chase(plan, "latency", footprint, footprint, true);
}
