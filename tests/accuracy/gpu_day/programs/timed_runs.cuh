// Seconds of the device for what a variant launches, run after run, as server/gpu_measurement/timed_runtime.h has them.
//
// The L2 is cleared before each run by reading other data, four times its size: all data come from memory, and nothing
// that was written waits there to be written back in a variant's time. Then comes a short kernel
// that only waits, so that the GPU has everything queued when it starts: what the host takes to launch is no part of
// the time. Events stand around the variant's kernels. One run warms up and does not count.
#pragma once
#include <vector>

#include "calibration.cuh"

#ifndef GPU_DAY_RUNS
#define GPU_DAY_RUNS 7
#endif

static __global__ void gate(long long cycles)
{
    for (long long start = clock64(); clock64() - start < cycles;) {
    }
}

static __global__ void read_other_data(unsigned *words, size_t count)
{
    unsigned all = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += gridDim.x * size_t(blockDim.x))
        all |= words[i];
    if (all) // they are zero, which the compiler does not know
        words[0] = all;
}

class TimedRuns {
  public:
    TimedRuns() : other_data_(l2_bytes()) { other_data_.fill(0); }

    template <class Launch> std::vector<double> seconds(Launch launch) const
    {
        enum { GATE_CYCLES = 100000, OTHER_BLOCKS = 1024 };
        std::vector<double> times_s;
        for (int run = 0; run <= GPU_DAY_RUNS; run++) {
            read_other_data<<<OTHER_BLOCKS, 256>>>(other_data_.data(), other_data_.count());
            gate<<<1, 1>>>(GATE_CYCLES);
            double time_s = timer_.seconds(launch);
            if (run > 0)
                times_s.push_back(time_s);
        }
        return times_s;
    }

  private:
    DeviceArray<unsigned> other_data_;
    EventTimer timer_;
};
