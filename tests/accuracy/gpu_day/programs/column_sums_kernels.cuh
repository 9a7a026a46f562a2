// The sum of each column of a row-major matrix of n rows and m columns.
#pragma once
#include <cuda_runtime.h>

// A tile's threads: one for each of its columns, and so many that share a column's rows of the chunk.
enum { TILE_COLUMNS = 32, TILE_THREAD_ROWS = 8, CHUNK_ROWS = 256 };

static __global__ void thread_per_column(int n, int m, const float *__restrict__ a, float *__restrict__ sums)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= m)
        return;
    float sum = 0;
    for (int row = 0; row < n; row++)
        sum += a[size_t(row) * m + column];
    sums[column] = sum;
}

// The sums are 0 before.
static __global__ void tile_and_chunk(int n, int m, const float *__restrict__ a, float *__restrict__ sums)
{
    __shared__ float of_thread[TILE_THREAD_ROWS][TILE_COLUMNS];
    int column = blockIdx.x * TILE_COLUMNS + threadIdx.x;
    int first = blockIdx.y * CHUNK_ROWS, end = min(first + CHUNK_ROWS, n);
    float sum = 0;
    if (column < m)
        for (int row = first + int(threadIdx.y); row < end; row += TILE_THREAD_ROWS)
            sum += a[size_t(row) * m + column];
    of_thread[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || column >= m)
        return;
    for (int other = 1; other < TILE_THREAD_ROWS; other++)
        sum += of_thread[other][threadIdx.x];
    atomicAdd(&sums[column], sum);
}
