// The transpose of a row-major matrix of n rows and m columns: a thread moves an element, or a block a tile through
// shared memory, whose columns lie in one bank unless a row is one element longer.
#pragma once
#include <cuda_runtime.h>

enum { TILE = 32, TILE_THREAD_ROWS = 8 };

static __global__ void coalesced_loads(int n, int m, const float *__restrict__ from, float *__restrict__ to)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < m)
        to[size_t(column) * n + row] = from[size_t(row) * m + column];
}

static __global__ void coalesced_stores(int n, int m, const float *__restrict__ from, float *__restrict__ to)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < m)
        to[size_t(column) * n + row] = from[size_t(row) * m + column];
}

// A block of 32 x 8 threads; `stride` is the length of a tile's row. The tile is read along its rows and written along
// its columns.
static __device__ __forceinline__ void through_tile(int n, int m, const float *__restrict__ from,
                                                    float *__restrict__ to, float *__restrict__ tile, int stride)
{
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE, x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += TILE_THREAD_ROWS)
        if (row + y < n && column + x < m)
            tile[y * stride + x] = from[size_t(row + y) * m + column + x];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += TILE_THREAD_ROWS)
        if (column + y < m && row + x < n)
            to[size_t(column + y) * n + row + x] = tile[x * stride + y];
}

static __global__ void tile_unpadded(int n, int m, const float *__restrict__ from, float *__restrict__ to)
{
    __shared__ float tile[TILE * TILE];
    through_tile(n, m, from, to, tile, TILE);
}

static __global__ void tile_padded(int n, int m, const float *__restrict__ from, float *__restrict__ to)
{
    __shared__ float tile[TILE * (TILE + 1)];
    through_tile(n, m, from, to, tile, TILE + 1);
}
