// y = A x by a thread, a warp or a block for each row of the row-major A, of n rows and m columns.
#pragma once
#include "warp_reduction.cuh"

static __global__ void thread_per_row(int n, int m, const float *__restrict__ a, const float *__restrict__ x,
                                      float *__restrict__ y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int j = 0; j < m; j++)
        sum += a[size_t(row) * m + j] * x[j];
    y[row] = sum;
}

static __global__ void warp_per_row(int n, int m, const float *__restrict__ a, const float *__restrict__ x,
                                    float *__restrict__ y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    float sum = 0;
    for (int j = lane; j < m; j += 32)
        sum += a[size_t(row) * m + j] * x[j];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

static __global__ void block_per_row(int m, const float *__restrict__ a, const float *__restrict__ x,
                                     float *__restrict__ y)
{
    float sum = 0;
    for (int j = threadIdx.x; j < m; j += blockDim.x)
        sum += a[size_t(blockIdx.x) * m + j] * x[j];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}
