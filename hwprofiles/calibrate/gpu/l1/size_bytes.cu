// Quantity: l1.size_bytes
// Keys:
// SASS: chase_l1 LDG\.E\.64(\.SYS)? >= 32
// The pointer chase of l1/latency_cycles.cu through 8 KiB and more, to beyond what an SM has for L1 and shared memory.
// Where L1 ends, a part of the loads starts to go to L2: a curve to look at, for a profile has the size of L1 and shared
// memory together. Method and its source: pointer_chase.cuh.

static void l1_size_bytes(const Plan &plan)
{
    enum { STEP_BYTES = 8 << 10, MORE_THAN_SHARED_BYTES = 96 << 10 };
    size_t step = plan.quick ? 4 * STEP_BYTES : STEP_BYTES;
    size_t most = static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)) + MORE_THAN_SHARED_BYTES;
    for (size_t footprint = step; footprint <= most; footprint += step)
        write_l1_chase(plan, footprint);
}
