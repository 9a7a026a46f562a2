/*
 * transpose_transpose.cu: the body of `transpose` (transpose.c, lines 6 to 8) for CUDA.
 *
 * Predicted on A100 SXM4 40 GB with columns = 8192, rows = 8192:
 * - 397 µs per launch, bound by memory bandwidth; block 32x8, 4 outputs per thread, tile of in as asked for;
 *   occupancy 100%, 16 registers.
 *   `in` in 4.12 KiB of shared memory, saves 28 KiB of traffic per block.
 *
 * The result rests on:
 * - `in` and `out` are assumed not to overlap (neither is `restrict`).
 * - `out` and `in` have all the elements that the declaration gives.
 *
 * In the C program:
 *
 *     void transpose_cuda(int rows, int columns, const float in[rows][columns], float out[columns][rows]);
 *
 * and `transpose_cuda(rows, columns, in, out);` in place of `transpose(rows, columns, in, out);`.
 * Compile with `nvcc -O3 -arch=sm_80 -c transpose_transpose.cu` and link transpose_transpose.o with the
 * program and -lcudart. With -fmad=false nvcc rounds each product and each sum by itself, as C compilers do.
 * An error of CUDA ends the program with a message.
 */
#include <climits>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static __global__ void __launch_bounds__(256)
transpose_kernel(float *__restrict__ out, const float *__restrict__ in, int rows, int columns)
{
    __shared__ float in_tile[32][32 + 1];
    const int i_block = blockIdx.x * 32;
    const int i = i_block + threadIdx.x;
    for (int j_block = blockIdx.y * 32; j_block < columns; j_block += gridDim.y * 32) {
        for (int row = threadIdx.y; row < 32; row += 8) {
            const int column = threadIdx.x;
            if (i_block + row < rows && j_block + column < columns)
                in_tile[row][column] = in[(long)(i_block + row) * columns + j_block + column];
        }
        __syncthreads();
        #pragma unroll
        for (int fy = 0; fy < 4; fy++) {
            const int j = j_block + threadIdx.y * 4 + fy;
            if (j < columns && i < rows) {
                out[(long)j * rows + i] = in_tile[threadIdx.x][j - j_block];
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

extern "C" void transpose_cuda(int rows, int columns, const float *in, float *out)
{
    if (columns <= 0 || rows <= 0)
        return;
    require(columns <= INT_MAX - 2097119, "columns <= INT_MAX - 2097119");

    /* out: written in full, so that nothing is copied to the device. */
    const long out_count = (long)rows * columns;
    float *d_out = nullptr;
    CHECK(cudaMalloc(&d_out, out_count * sizeof(float)));

    /* in: only read. */
    const long in_count = (long)rows * columns;
    float *d_in = nullptr;
    CHECK(cudaMalloc(&d_in, in_count * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in, in_count * sizeof(float), cudaMemcpyHostToDevice));

    const dim3 block(32, 8);
    const dim3 grid(blocks_along(rows, 32, 2147483647), blocks_along(columns, 32, 65535));
    transpose_kernel<<<grid, block>>>(d_out, d_in, rows, columns);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(out, d_out, out_count * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_in));
}
