// How fast an SM went: each warp notes its SM and when it started and stopped; the host puts the warps of an SM
// together.
#pragma once
#include <map>
#include <vector>

#include "samples.cuh"
#include "timing.cuh"

struct WarpTime {
    int64_t start, stop;
    uint64_t sm;
};

// To be called by all threads, after a barrier: all warps of the block start together.
static __device__ __forceinline__ void note_warp(WarpTime *times, int64_t start, int64_t stop)
{
    if (threadIdx.x % 32 == 0)
        times[(size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32] = {start, stop, sm_id()};
}

// How many blocks of how many warps put that many warps on each SM: a block holds 32 at most.
struct Residency {
    int warps_per_sm, blocks_per_sm;

    int threads() const { return 32 * warps_per_sm / blocks_per_sm; }
    int blocks() const { return blocks_per_sm * sm_count(); }
    int warps() const { return warps_per_sm * sm_count(); }
};

static Residency residency(int warps_per_sm) { return {warps_per_sm, warps_per_sm > 32 ? 2 : 1}; }

static std::vector<int> warp_counts(const Plan &plan)
{
    std::vector<int> counts;
    for (int warps : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64})
        if (warps <= max_warps_per_sm() && (!plan.quick || warps == 1 || warps == 4 || warps == 16 || warps == 32))
            counts.push_back(warps);
    return counts;
}

// How many blocks an SM has room for at a time: registers, shared memory, threads.
template <class Kernel> static int resident_blocks(Kernel kernel, int threads_per_block)
{
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads_per_block, 0));
    return blocks;
}

// Whether all the blocks are on an SM at the same time, or some wait for others to end.
template <class Kernel> static bool fits(Kernel kernel, const Residency &on)
{
    return resident_blocks(kernel, on.threads()) >= on.blocks_per_sm;
}

// Cycles from the first start to the last stop on the median SM, among those that ran as many warps as were meant to
// run there; 0 where no SM did.
static double median_sm_cycles(const std::vector<WarpTime> &times, int warps_per_sm)
{
    struct Span {
        int64_t start, stop;
        int warps;
    };
    std::map<uint64_t, Span> spans;
    for (const WarpTime &time : times) {
        Span &span = spans.try_emplace(time.sm, Span{time.start, time.stop, 0}).first->second;
        span.start = std::min(span.start, time.start);
        span.stop = std::max(span.stop, time.stop);
        span.warps++;
    }
    Samples cycles;
    for (const auto &[sm, span] : spans)
        if (span.warps == warps_per_sm)
            cycles.push_back(static_cast<double>(span.stop - span.start));
    return cycles.empty() ? 0 : median(cycles);
}

// Per cycle of an SM, of what each of its warps did `per_warp` times. `launch(times)` launches the warps. Launches that
// the device did not spread evenly give no sample.
template <class Launch>
static Samples rates_per_sm(const Plan &plan, const Residency &on, double per_warp, Launch launch)
{
    DeviceArray<WarpTime> times(static_cast<size_t>(on.warps()));
    Samples rates;
    for (int i = -plan.warm_ups; i < plan.samples; i++) {
        launch(times.data());
        CHECK_KERNELS();
        double cycles = median_sm_cycles(times.on_host(), on.warps_per_sm);
        if (i >= 0 && cycles > 0)
            rates.push_back(per_warp * on.warps_per_sm / cycles);
    }
    return rates;
}
