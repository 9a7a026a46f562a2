// The sum of n floats: threads take every so many-th, and what they have is brought together in different ways.
#pragma once
#include "grid_stride.cuh"
#include "warp_reduction.cuh"

static __device__ __forceinline__ float thread_sum(size_t n, const float *__restrict__ values)
{
    float sum = 0;
    for_each_in_grid_stride(n, values, [&](float value) { sum += value; });
    return sum;
}

// The sum is 0 before.
static __global__ void atomic_per_thread(size_t n, const float *__restrict__ values, float *__restrict__ sum)
{
    atomicAdd(sum, thread_sum(n, values));
}

// The sum is 0 before.
static __global__ void atomic_per_block(size_t n, const float *__restrict__ values, float *__restrict__ sum)
{
    float of_block = block_sum(thread_sum(n, values));
    if (threadIdx.x == 0)
        atomicAdd(sum, of_block);
}

// The first pass leaves a sum per block; the second is the same with one block over those.
static __global__ void sum_per_block(size_t n, const float *__restrict__ values, float *__restrict__ sums)
{
    float of_block = block_sum(thread_sum(n, values));
    if (threadIdx.x == 0)
        sums[blockIdx.x] = of_block;
}
