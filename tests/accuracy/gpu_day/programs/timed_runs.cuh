// Seconds of the device for what a variant launches, run after run, as server/gpu_measurement/timed_runtime.h has them.
//
// The L2 is cleared before each run by writing twice its size: all data come from memory. Then comes a short kernel
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

class TimedRuns {
  public:
    TimedRuns() : l2_cover_(2 * l2_bytes() + 1) {}

    template <class Launch> std::vector<double> seconds(Launch launch) const
    {
        enum { GATE_CYCLES = 100000 };
        std::vector<double> times_s;
        for (int run = 0; run <= GPU_DAY_RUNS; run++) {
            l2_cover_.fill(0);
            gate<<<1, 1>>>(GATE_CYCLES);
            double time_s = timer_.seconds(launch);
            if (run > 0)
                times_s.push_back(time_s);
        }
        return times_s;
    }

  private:
    DeviceArray<char> l2_cover_;
    EventTimer timer_;
};
