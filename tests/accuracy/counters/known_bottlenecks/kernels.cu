/*
 * Kernels whose bottleneck is known from how they are written, for `warplens counters collect`:
 *
 *     nvcc -O3 -arch=sm_90 -o kernels kernels.cu
 *     warplens counters collect -D n=256,512,1024 --launches 60 -o runs -- ./kernels {n}
 *     ./kernels 1024 times     prints times by CUDA events, without a profiler: a table that `fit` reads too
 *
 * Each kernel is launched once for each block size, on n * n elements or, where it is slow, fewer. The runs beside this
 * file are of this code: what compiles to anything else (the loop of both products in one function does) has to be
 * measured again.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

constexpr int TILE = 32;
constexpr size_t CHAIN = 1 << 25; /* 128 MiB, more than a second-level cache; a power of two, so that it is one cycle */

static void check(cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, line, cudaGetErrorString(error));
    std::exit(EXIT_FAILURE);
}
#define CHECK(call) check(call, __LINE__)

struct Arrays {
    const float *a, *b;
    float *c;
    const int *chain;
};

/* Bandwidth of memory: two loads and a store that coalesce, an FMA. */
__global__ void triad(Arrays x, int n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)n * n; i += (size_t)gridDim.x * blockDim.x)
        x.c[i] = x.a[i] + 3 * x.b[i];
}

/* Uncoalesced stores: neighbouring threads write n elements apart. */
__global__ void transpose_naive(Arrays x, int n)
{
    const int column = blockIdx.x * TILE + threadIdx.x;
    for (int row = blockIdx.y * TILE + threadIdx.y; row < (blockIdx.y + 1) * TILE; row += blockDim.y)
        if (row < n && column < n)
            x.c[(size_t)column * n + row] = x.a[(size_t)row * n + column];
}

template <int PAD>
__device__ void transpose_in_shared(Arrays x, int n, float (*tile)[TILE + PAD])
{
    const int column = blockIdx.x * TILE + threadIdx.x, turned = blockIdx.y * TILE + threadIdx.x;
    for (int k = threadIdx.y; k < TILE; k += blockDim.y)
        if (blockIdx.y * TILE + k < n && column < n)
            tile[k][threadIdx.x] = x.a[(size_t)(blockIdx.y * TILE + k) * n + column];
    __syncthreads();
    for (int k = threadIdx.y; k < TILE; k += blockDim.y)
        if (blockIdx.x * TILE + k < n && turned < n)
            x.c[(size_t)(blockIdx.x * TILE + k) * n + turned] = tile[threadIdx.x][k];
}

/* Bank conflicts: a warp reads a column of a tile without padding, 32 ways. */
__global__ void transpose_conflicts(Arrays x, int n)
{
    __shared__ float tile[TILE][TILE];
    transpose_in_shared<0>(x, n, tile);
}

/* The same with padding: bandwidth of memory. */
__global__ void transpose_padded(Arrays x, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    transpose_in_shared<1>(x, n, tile);
}

/* Bank conflicts and nothing else: 32 ways, again and again in one tile. */
__global__ void conflicts_only(Arrays x, int n)
{
    __shared__ float tile[TILE * TILE];
    for (int k = threadIdx.x; k < TILE * TILE; k += blockDim.x)
        tile[k] = x.a[k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < n / 4; k++)
        sum += tile[(threadIdx.x % TILE * TILE + k) % (TILE * TILE)];
    x.c[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = sum;
}

/* Bandwidth of L1: two words are loaded for each multiply-add. */
__global__ void matmul_naive(Arrays x, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += x.a[(size_t)row * n + k] * x.b[(size_t)k * n + column];
    x.c[(size_t)row * n + column] = sum;
}

/* Uncoalesced loads and stores: neighbouring threads have neighbouring rows. */
__global__ void matmul_uncoalesced(Arrays x, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += x.a[(size_t)row * n + k] * x.b[(size_t)k * n + column];
    x.c[(size_t)row * n + column] = sum;
}

/* Tiles of 32 x 32 in shared memory. */
__global__ void matmul_tiled(Arrays x, int n)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    constexpr int MOST = 16;
    float sum[MOST] = {};
    const int column = blockIdx.x * TILE + threadIdx.x;
    for (int from = 0; from < n; from += TILE) {
        for (int k = threadIdx.y; k < TILE; k += blockDim.y) {
            const int row = blockIdx.y * TILE + k;
            a[k][threadIdx.x] = row < n && from + threadIdx.x < n ? x.a[(size_t)row * n + from + threadIdx.x] : 0;
            b[k][threadIdx.x] = from + k < n && column < n ? x.b[(size_t)(from + k) * n + column] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int m = 0; m < MOST; m++)
            if (threadIdx.y + m * blockDim.y < TILE)
                for (int k = 0; k < TILE; k++)
                    sum[m] += a[threadIdx.y + m * blockDim.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < MOST; m++) {
        const int k = threadIdx.y + m * blockDim.y;
        if (k < TILE && blockIdx.y * TILE + k < n && column < n)
            x.c[(size_t)(blockIdx.y * TILE + k) * n + column] = sum[m];
    }
}

/* Divergence: each lane has a loop of another length, a warp takes as long as the longest. */
__global__ void divergent(Arrays x, int n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float value = x.a[i];
    const int trips = threadIdx.x % 32 == 0 ? n : threadIdx.x % 32;
    for (int k = 0; k < trips; k++)
        value = value * 1.0001f + 0.5f;
    x.c[i] = value;
}

/* Issuing instructions: eight independent chains of FMAs, all in registers. */
__global__ void fma_chains(Arrays x, int n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float sum[8];
    for (int m = 0; m < 8; m++)
        sum[m] = x.a[i] + m;
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int m = 0; m < 8; m++)
            sum[m] = sum[m] * 1.0001f + 0.5f;
    float all = 0;
    for (int m = 0; m < 8; m++)
        all += sum[m];
    x.c[i] = all;
}

/* Latency of memory, at low occupancy: each thread follows a chain, a block in each multiprocessor. */
__global__ void chain_of_loads(Arrays x, int n)
{
    extern __shared__ float kept[];
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int place = (int)(i * 997 % CHAIN);
    for (int k = 0; k < n / 8; k++)
        place = x.chain[place];
    kept[threadIdx.x] = (float)place;
    x.c[i] = kept[threadIdx.x];
}

/* An array in local memory, as its subscript is not known: what spilled registers cost. */
__global__ void local_array(Arrays x, int n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float own[256];
    for (int k = 0; k < 256; k++)
        own[k] = x.a[i] + k;
    for (int k = 0; k < n; k++)
        own[x.chain[k] & 255] += own[(x.chain[k] >> 8) & 255];
    float all = 0;
    for (int k = 0; k < 256; k++)
        all += own[k];
    x.c[i] = all;
}

static Arrays arrays(size_t elements)
{
    Arrays x;
    float *a, *b;
    int *chain;
    CHECK(cudaMalloc(&a, elements * sizeof(float)));
    CHECK(cudaMalloc(&b, elements * sizeof(float)));
    CHECK(cudaMalloc(&x.c, elements * sizeof(float)));
    CHECK(cudaMalloc(&chain, CHAIN * sizeof(int)));
    float *values = new float[elements];
    for (size_t k = 0; k < elements; k++)
        values[k] = (float)(k * 2654435761u % 1000) / 1000;
    CHECK(cudaMemcpy(a, values, elements * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, values, elements * sizeof(float), cudaMemcpyHostToDevice));
    delete[] values;
    int *next = new int[CHAIN];
    for (size_t k = 0; k < CHAIN; k++)
        next[k] = (int)((k * 1664525u + 1013904223u) % CHAIN);
    CHECK(cudaMemcpy(chain, next, CHAIN * sizeof(int), cudaMemcpyHostToDevice));
    delete[] next;
    x.a = a, x.b = b, x.chain = chain;
    return x;
}

using Kernel = void (*)(Arrays, int);

static void launch(const char *name, Kernel kernel, dim3 grid, dim3 block, size_t shared, Arrays x, int n, bool timed)
{
    constexpr int REPEATS = 7;
    float times_ms[REPEATS];
    cudaEvent_t from, to;
    if (shared > 48 << 10)
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    if (!timed) {
        kernel<<<grid, block, shared>>>(x, n);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        return;
    }
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (int k = -1; k < REPEATS; k++) {
        CHECK(cudaEventRecord(from));
        kernel<<<grid, block, shared>>>(x, n);
        CHECK(cudaEventRecord(to));
        CHECK(cudaGetLastError());
        CHECK(cudaEventSynchronize(to));
        if (k >= 0)
            CHECK(cudaEventElapsedTime(&times_ms[k], from, to));
    }
    for (int k = 0; k < REPEATS; k++)
        std::printf("%s,%d,%u,%u,%u,%u,%.3f\n", name, n, block.x, block.y, grid.x, grid.y, times_ms[k] * 1e3);
}

int main(int count, char **words)
{
    const int n = count > 1 ? std::atoi(words[1]) : 0;
    const bool timed = count > 2 && std::strcmp(words[2], "times") == 0;
    if (n < 64) {
        std::fprintf(stderr, "usage: %s N [times], N at least 64\n", words[0]);
        return 2;
    }
    const size_t elements = (size_t)n * n > 1 << 22 ? (size_t)n * n : 1 << 22;
    const Arrays x = arrays(elements);
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    if (timed)
        std::puts("kernel,n,block_x,block_y,grid_x,grid_y,time_us");
    for (unsigned threads : {128u, 256u, 512u}) {
        const dim3 block2(TILE, threads / TILE), tiles((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
        const dim3 grid2((n + TILE - 1) / TILE, (n + block2.y - 1) / block2.y);
        const unsigned processors = device.multiProcessorCount, filled = processors * 2048 / threads;
        const size_t all = (size_t)n * n, wanted = (all + threads - 1) / threads;
        const auto run = [&](const char *name, Kernel kernel, dim3 grid, dim3 block, size_t shared = 0) {
            launch(name, kernel, grid, block, shared, x, n, timed);
        };
        run("triad", triad, (unsigned)wanted, threads);
        run("transpose_naive", transpose_naive, tiles, block2);
        run("transpose_conflicts", transpose_conflicts, tiles, block2);
        run("transpose_padded", transpose_padded, tiles, block2);
        run("conflicts_only", conflicts_only, filled, threads);
        run("matmul_naive", matmul_naive, grid2, block2);
        run("matmul_uncoalesced", matmul_uncoalesced, grid2, block2);
        run("matmul_tiled", matmul_tiled, tiles, block2);
        run("divergent", divergent, filled, threads);
        run("fma_chains", fma_chains, filled, threads);
        run("chain_of_loads", chain_of_loads, processors, threads, 160 << 10);
        run("local_array", local_array, filled, threads);
    }
    return 0;
}
