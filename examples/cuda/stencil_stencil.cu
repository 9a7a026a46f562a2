/*
 * stencil_stencil.cu: the body of `stencil` (stencil.c, lines 6 to 9) for CUDA.
 *
 * Predicted on A100 SXM4 40 GB with n = 8192:
 * - 862 µs per launch, bound by memory bandwidth; block 32x8, 4 outputs per thread, tile of old as asked for;
 *   occupancy 100%, 32 registers.
 *   `old` in 9.03 KiB of shared memory, saves 26 KiB of traffic per block.
 *
 * In the C program:
 *
 *     void stencil_cuda(int n, const double *restrict old, double *restrict new_);
 *
 * and `stencil_cuda(n, old, new_);` in place of `stencil(n, old, new_);`.
 * Compile with `nvcc -O3 -arch=sm_80 -c stencil_stencil.cu` and link stencil_stencil.o with the program and
 * -lcudart. With -fmad=false nvcc rounds each product and each sum by itself, as C compilers do.
 * An error of CUDA ends the program with a message.
 */
#include <climits>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static __global__ void __launch_bounds__(256)
stencil_kernel(double *__restrict__ new_, const double *__restrict__ old, int n)
{
    __shared__ double old_tile[34][34];
    const int j_block = 1 + blockIdx.x * 32;
    const int j = j_block + threadIdx.x;
    for (int i_block = 1 + blockIdx.y * 32; i_block < n - 1; i_block += gridDim.y * 32) {
        for (int at = threadIdx.y * 32 + threadIdx.x; at < 1156; at += 256) {
            const int row = at / 34, column = at % 34;
            if (i_block - 1 + row < n && j_block - 1 + column < n) {
                const long element = (long)(i_block - 1 + row) * n + j_block - 1 + column;
                if (element >= 1 && element < (long)n * n - 1)
                    old_tile[row][column] = old[element];
            }
        }
        __syncthreads();
        #pragma unroll
        for (int fy = 0; fy < 4; fy++) {
            const int i = i_block + threadIdx.y * 4 + fy;
            if (i < n - 1 && j < n - 1) {
                new_[i * n + j] = 0.25 * (old_tile[i - i_block][threadIdx.x + 1]
                        + old_tile[i - i_block + 2][threadIdx.x + 1] + old_tile[i - i_block + 1][threadIdx.x]
                        + old_tile[i - i_block + 1][threadIdx.x + 2]);
            }
        }
        __syncthreads();
    }
}

/* Ends the program where CUDA says that something went wrong. */
static void check(cudaError_t error, const char *what, int line)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, line, what, cudaGetErrorString(error));
    std::exit(EXIT_FAILURE);
}
#define CHECK(call) check(call, #call, __LINE__)

/* Blocks along an axis of the grid, each for so many iterations. */
static unsigned blocks_along(long iterations, long per_block, long most)
{
    const long blocks = iterations > 0 ? (iterations + per_block - 1) / per_block : 0;
    return (unsigned)(blocks < most ? blocks : most);
}

/* Ends the program where sizes do not hold to what the kernels rest on. */
static void require(bool holds, const char *what)
{
    if (holds)
        return;
    std::fprintf(stderr, "%s: %s does not hold\n", __FILE__, what);
    std::exit(EXIT_FAILURE);
}

extern "C" void stencil_cuda(int n, const double *old, double *new_)
{
    if (n < 3)
        return;
    require(n <= INT_MAX - 2097118, "n <= INT_MAX - 2097118");

    /* new_: written in part, so that the rest of the section has to be there. */
    const long new_first = (long)n + 1;
    const long new_end = (long)n * n - n - 1;
    double *d_new = nullptr;
    CHECK(cudaMalloc(&d_new, new_end * sizeof(double)));
    CHECK(cudaMemcpy(d_new + new_first, new_ + new_first,
                     (new_end - new_first) * sizeof(double), cudaMemcpyHostToDevice));

    /* old: only read. */
    const long old_end = (long)n * n - 1;
    double *d_old = nullptr;
    CHECK(cudaMalloc(&d_old, old_end * sizeof(double)));
    CHECK(cudaMemcpy(d_old + 1, old + 1, (old_end - 1) * sizeof(double), cudaMemcpyHostToDevice));

    const dim3 block(32, 8);
    const dim3 grid(blocks_along((long)n - 2, 32, 2147483647), blocks_along((long)n - 2, 32, 65535));
    stencil_kernel<<<grid, block>>>(d_new, d_old, n);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(new_ + new_first, d_new + new_first,
                     (new_end - new_first) * sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_new));
    CHECK(cudaFree(d_old));
}
