// C = A B of row-major matrices of n x k and k x m: each thread has an element of C and reads global memory, or blocks
// share tiles of A and B, and a thread has one element or four.
#pragma once
#include <cuda_runtime.h>

enum { TILE = 32, OUTPUTS = 4, TILE_THREAD_ROWS = TILE / OUTPUTS };

static __global__ void naive(int n, int m, int k, const float *__restrict__ a, const float *__restrict__ b,
                             float *__restrict__ c)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= m)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[size_t(row) * k + i] * b[size_t(i) * m + column];
    c[size_t(row) * m + column] = sum;
}

// A block of 32 x 32 threads.
static __global__ void tiled(int n, int m, int k, const float *__restrict__ a, const float *__restrict__ b,
                             float *__restrict__ c)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int start = 0; start < k; start += TILE) {
        a_tile[y][x] = row < n && start + x < k ? a[size_t(row) * k + start + x] : 0;
        b_tile[y][x] = start + y < k && column < m ? b[size_t(start + y) * m + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
    }
    if (row < n && column < m)
        c[size_t(row) * m + column] = sum;
}

// A block of 32 x 8 threads; a thread has every eighth row of the tile in its column.
static __global__ void tiled_4_outputs(int n, int m, int k, const float *__restrict__ a, const float *__restrict__ b,
                                       float *__restrict__ c)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + threadIdx.y;
    float sums[OUTPUTS] = {};
    for (int start = 0; start < k; start += TILE) {
        for (int y = threadIdx.y; y < TILE; y += TILE_THREAD_ROWS) {
            int a_row = blockIdx.y * TILE + y;
            a_tile[y][x] = a_row < n && start + x < k ? a[size_t(a_row) * k + start + x] : 0;
            b_tile[y][x] = start + y < k && column < m ? b[size_t(start + y) * m + column] : 0;
        }
        __syncthreads();
        for (int i = 0; i < TILE; i++)
#pragma unroll
            for (int output = 0; output < OUTPUTS; output++)
                sums[output] += a_tile[threadIdx.y + output * TILE_THREAD_ROWS][i] * b_tile[i][x];
        __syncthreads();
    }
#pragma unroll
    for (int output = 0; output < OUTPUTS; output++)
        if (row + output * TILE_THREAD_ROWS < n && column < m)
            c[size_t(row + output * TILE_THREAD_ROWS) * m + column] = sums[output];
}
