// What the comparison programs call beyond tests/cuda_on_cpu, whose folder comes next on the include path: a small GPU.
//
// GPU_DAY_ORDER is the order of threads and blocks (block.h). GPU_DAY_GPUS=0 says that there is no GPU, GPU_DAY_FAILS
// which call of the runtime fails, counted from 0.
#pragma once
#include_next <cuda_runtime.h>

#include <cstdlib>

constexpr cudaError_t cudaErrorInsufficientDriver = cudaError_t(35), cudaErrorNoDevice = cudaError_t(100);
enum cudaDeviceAttr {
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrMultiProcessorCount = 16,
};

extern "C" void cuda_order(unsigned seed);
extern "C" void cuda_done();
extern "C" void cuda_fail(int call);

inline cudaError_t cudaGetDeviceCount(int *count)
{
    const char *gpus = std::getenv("GPU_DAY_GPUS");
    *count = gpus == nullptr ? 1 : std::atoi(gpus);
    return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

// At the end nothing may be left on the device, and no error unseen, unless a call's failure ended the program.
inline cudaError_t cudaSetDevice(int)
{
    if (const char *seed = std::getenv("GPU_DAY_ORDER"))
        cuda_order(unsigned(std::atoi(seed)));
    if (const char *call = std::getenv("GPU_DAY_FAILS"))
        cuda_fail(std::atoi(call));
    else
        std::atexit(cuda_done);
    return cudaSuccess;
}

inline cudaError_t cudaDriverGetVersion(int *version) { return *version = 13000, cudaSuccess; }
inline cudaError_t cudaMemGetInfo(std::size_t *free, std::size_t *total)
{
    return *free = *total = 1 << 20, cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int)
{
    *value = which == cudaDevAttrMultiProcessorCount ? 2 : which == cudaDevAttrL2CacheSize ? 4096 : 512;
    return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void *to, int value, std::size_t bytes, cudaStream_t = nullptr)
{
    return cudaMemset(to, value, bytes);
}

// Every look at it finds that much time has gone by.
inline long long clock64()
{
    static long long cycles;
    return cycles += 1000000;
}
