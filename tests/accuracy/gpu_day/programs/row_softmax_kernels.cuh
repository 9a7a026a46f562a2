// exp(x - the row's largest) over the row's sum of these, for n rows of m: three loops over a row, which a thread, a
// warp or a block works on.
#pragma once
#include "warp_reduction.cuh"

static __global__ void thread_per_row(int n, int m, const float *__restrict__ x, float *__restrict__ y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    size_t first = size_t(row) * m;
    float largest = x[first], sum = 0;
    for (int j = 1; j < m; j++)
        largest = fmaxf(largest, x[first + j]);
    for (int j = 0; j < m; j++)
        sum += expf(x[first + j] - largest);
    for (int j = 0; j < m; j++)
        y[first + j] = expf(x[first + j] - largest) / sum;
}

static __global__ void warp_per_row(int n, int m, const float *__restrict__ x, float *__restrict__ y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    size_t first = size_t(row) * m;
    float largest = x[first], sum = 0;
    for (int j = lane; j < m; j += 32)
        largest = fmaxf(largest, x[first + j]);
    largest = warp_max(largest);
    for (int j = lane; j < m; j += 32)
        sum += expf(x[first + j] - largest);
    sum = warp_sum(sum);
    for (int j = lane; j < m; j += 32)
        y[first + j] = expf(x[first + j] - largest) / sum;
}

static __global__ void block_per_row(int m, const float *__restrict__ x, float *__restrict__ y)
{
    size_t first = size_t(blockIdx.x) * m;
    float largest = x[first], sum = 0;
    for (int j = threadIdx.x; j < m; j += blockDim.x)
        largest = fmaxf(largest, x[first + j]);
    largest = block_max(largest);
    for (int j = threadIdx.x; j < m; j += blockDim.x)
        sum += expf(x[first + j] - largest);
    sum = block_sum(sum);
    for (int j = threadIdx.x; j < m; j += blockDim.x)
        y[first + j] = expf(x[first + j] - largest) / sum;
}
