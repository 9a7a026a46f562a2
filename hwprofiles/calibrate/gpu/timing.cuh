// Clocks of the SM, the device and the host, and bringing the SM clock up before anything is measured.
#pragma once
#include <chrono>
#include <cstdint>

#include "device_memory.cuh"

// Cycles of this SM. Volatile: it keeps its place among the measured instructions, which are volatile too.
static __device__ __forceinline__ int64_t clock_cycles()
{
    int64_t now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

// Nanoseconds of the device, in steps of up to a microsecond.
static __device__ __forceinline__ int64_t device_ns()
{
    int64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

static __device__ __forceinline__ uint32_t sm_id()
{
    uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

static double host_s()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Seconds of the device between two events around what is launched; resolution about half a microsecond.
class EventTimer {
  public:
    EventTimer()
    {
        CHECK(cudaEventCreate(&start_));
        CHECK(cudaEventCreate(&stop_));
    }
    EventTimer(const EventTimer &) = delete;
    EventTimer &operator=(const EventTimer &) = delete;
    ~EventTimer()
    {
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
    }

    template <class Launch> double seconds(Launch launch) const
    {
        return seconds([] {}, launch);
    }

    // `first` is launched in front and not in the time.
    template <class First, class Launch> double seconds(First first, Launch launch) const
    {
        float ms = 0;
        first();
        CHECK(cudaEventRecord(start_));
        launch();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop_));
        CHECK(cudaEventSynchronize(stop_));
        CHECK(cudaEventElapsedTime(&ms, start_, stop_));
        return 1e-3 * ms;
    }

  private:
    cudaEvent_t start_, stop_;
};

// FP32 FMA for so long, 8 chains a thread; a factor between 0 and 1 keeps them finite. Threads differ: what is the same
// in all of a warp, compilers give to the uniform datapath.
static __device__ void multiply_add_for(int64_t ns, float factor, float *results)
{
    float values[8];
    int64_t start = device_ns();
    for (int i = 0; i < 8; i++)
        values[i] = factor * static_cast<float>(i + 1 + static_cast<int>(threadIdx.x));
    while (device_ns() - start < ns)
#pragma unroll 16
        for (int step = 0; step < 256; step++)
#pragma unroll
            for (int i = 0; i < 8; i++)
                values[i] = fmaf(values[i], factor, factor);
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += values[i];
    results[size_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}

static __global__ void spin(int64_t ns, float factor, float *results) { multiply_add_for(ns, factor, results); }

// GPUs that had nothing to do lower their clocks and take tens of milliseconds to raise them.
static void raise_clocks()
{
    enum { THREADS = 256, BLOCKS_PER_SM = 4 };
    int blocks = BLOCKS_PER_SM * sm_count();
    DeviceArray<float> results(static_cast<size_t>(blocks) * THREADS);
    double start = host_s();
    while (host_s() - start < 0.15) {
        spin<<<blocks, THREADS>>>(10'000'000, 0.25f, results.data());
        CHECK_KERNELS();
    }
}
