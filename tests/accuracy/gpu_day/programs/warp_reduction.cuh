// Sums and maxima over a warp by shuffles and over a block of whole warps by shared memory; every thread has the
// result. The tree is that of J. Luitjens, "Faster Parallel Reductions on Kepler", NVIDIA 2014.
#pragma once
#include <cuda_runtime.h>

static __device__ __forceinline__ float warp_sum(float value)
{
    for (int by = 16; by > 0; by /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, by);
    return value;
}

static __device__ __forceinline__ float warp_max(float value)
{
    for (int by = 16; by > 0; by /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, by));
    return value;
}

// A kernel may call each once: no barrier keeps a second sum from overwriting the first one's parts.
static __device__ __forceinline__ float block_sum(float value)
{
    __shared__ float of_warp[32];
    unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = warp_sum(value);
    if (lane == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    return warp_sum(lane < warps ? of_warp[lane] : 0);
}

static __device__ __forceinline__ float block_max(float value)
{
    __shared__ float of_warp[32];
    unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = warp_max(value);
    if (lane == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    return warp_max(of_warp[lane < warps ? lane : 0]);
}
