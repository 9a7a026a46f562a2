// Quantity: l1.latency_cycles
// Keys: l1.latency_cycles
// SASS: chase_l1 LDG\.E\.64(\.SYS)? >= 32
// A pointer chase through few lines that L1 holds, in random order, as C loads. Method and its source:
// pointer_chase.cuh.

enum { L1_STRIDE_BYTES = 128 };

// One point; as little shared memory as the driver sets aside, for the largest L1.
static void write_l1_chase(const Plan &plan, size_t footprint_bytes)
{
    CHECK(cudaFuncSetAttribute(chase_l1, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1));
    Ring ring(footprint_bytes, L1_STRIDE_BYTES, footprint_bytes);
    size_t warm = loads_around(ring, 2 * ring.places()), loads = loads_around(ring, 2048);
    std::vector<Timed> timed = ring.run(chase_l1, warm, loads, plan.samples);
    write_series(plan, "latency", {{"footprint_bytes", footprint_bytes}, {"stride_bytes", L1_STRIDE_BYTES}}, "cycles",
                 cycles_per_load(timed, loads));
}

static void l1_latency_cycles(const Plan &plan)
{
    for (size_t footprint_kib : {2, 4, 8})
        write_l1_chase(plan, footprint_kib << 10);
}
