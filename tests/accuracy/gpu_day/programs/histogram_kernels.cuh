// How often each value below `bins` occurs. The counts are 0 before.
#pragma once
#include <cstdint>

#include "grid_stride.cuh"

static __global__ void global_atomics(size_t n, const uint32_t *__restrict__ values, uint32_t *__restrict__ counts)
{
    for_each_in_grid_stride(n, values, [&](uint32_t value) { atomicAdd(&counts[value], 1u); });
}

// The launch gives a block as much shared memory as the bins take.
static __global__ void copy_per_block(size_t n, int bins, const uint32_t *__restrict__ values,
                                      uint32_t *__restrict__ counts)
{
    extern __shared__ uint32_t of_block[];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
        of_block[bin] = 0;
    __syncthreads();
    for_each_in_grid_stride(n, values, [&](uint32_t value) { atomicAdd(&of_block[value], 1u); });
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
        if (of_block[bin] > 0)
            atomicAdd(&counts[bin], of_block[bin]);
}
