// Quantity: l2.latency_cycles
// Keys: l2.latency_cycles
// SASS: chase_l2 LDG\.E\.64\.STRONG\.GPU >= 32
// A pointer chase in random order, with ld.cg, which goes past L1, through footprints up to half of L2. Parts of L2 lie
// nearer to an SM than others: small footprints are spread over them as large ones are. Footprints of more than some
// 16 MiB may also wait for the translation of addresses. Method and its source: pointer_chase.cuh.

static void l2_latency_cycles(const Plan &plan)
{
    enum { STRIDE_BYTES = 128, LEAST_BYTES = 256 << 10 };
    size_t most = power_of_two_within(l2_bytes() / 2);
    for (size_t footprint = LEAST_BYTES; footprint <= most; footprint *= plan.quick ? 8 : 2) {
        Ring ring(footprint, STRIDE_BYTES, footprint);
        std::vector<Timed> timed = ring.run(chase_l2, loads_around(ring, ring.places()), 4096, plan.samples);
        Coordinates x = {{"footprint_bytes", footprint}, {"stride_bytes", STRIDE_BYTES}};
        write_series(plan, "latency", x, "cycles", cycles_per_load(timed, 4096));
        write_series(plan, "clock", x, "MHz", sm_mhz(timed));
    }
}
