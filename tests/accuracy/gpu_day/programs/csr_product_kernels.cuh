// y = A x of n rows in CSR by a thread or a warp for each row.
#pragma once
#include "warp_reduction.cuh"

static __global__ void thread_per_row(int n, const int *__restrict__ row_offsets, const int *__restrict__ columns,
                                      const float *__restrict__ values, const float *__restrict__ x,
                                      float *__restrict__ y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = row_offsets[row]; k < row_offsets[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}

static __global__ void warp_per_row(int n, const int *__restrict__ row_offsets, const int *__restrict__ columns,
                                    const float *__restrict__ values, const float *__restrict__ x,
                                    float *__restrict__ y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = row_offsets[row] + lane; k < row_offsets[row + 1]; k += 32)
        sum += values[k] * x[columns[k]];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}
