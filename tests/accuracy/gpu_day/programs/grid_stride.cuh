// A loop over n elements that the threads of a grid share, with four loads before the first is used. With one load on
// its way for each thread an H100's memory is not busy: what is compared would be hidden by the waiting.
//
// M. Harris, "CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops", NVIDIA 2013.
#pragma once
#include <cstddef>

#include <cuda_runtime.h>

template <class Value, class Use>
static __device__ __forceinline__ void for_each_in_grid_stride(size_t n, const Value *__restrict__ values, Use use)
{
    enum { LOADS = 4 };
    size_t step = size_t{gridDim.x} * blockDim.x, i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (; i + (LOADS - 1) * step < n; i += LOADS * step) {
        Value loaded[LOADS];
#pragma unroll
        for (int load = 0; load < LOADS; load++)
            loaded[load] = values[i + load * step];
#pragma unroll
        for (int load = 0; load < LOADS; load++)
            use(loaded[load]);
    }
    for (; i < n; i += step)
        use(values[i]);
}
