/*
 * matmul_matmul.cu: the body of `matmul` (matmul.c, lines 6 to 12) for CUDA.
 *
 * Predicted on A100 SXM4 40 GB with l = 2048, m = 2048, n = 2048:
 * - 3.53 ms per launch, bound by memory bandwidth; block 16x16, 4 outputs per thread, tile of a and b as asked
 *   for; occupancy 100%, 32 registers.
 *   `a` in 4.25 KiB of shared memory, saves 3.5 MiB of traffic per block.
 *   `b` in 1 KiB of shared memory, saves 896 KiB of traffic per block.
 *
 * The result rests on:
 * - `a` and `c` are assumed not to overlap (neither is `restrict`).
 * - `b` and `c` are assumed not to overlap (neither is `restrict`).
 * - `c` has all the elements that the declaration gives.
 *
 * In the C program:
 *
 *     void matmul_cuda(int n, int m, int l, const float a[n][l], const float b[l][m], float c[n][m]);
 *
 * and `matmul_cuda(n, m, l, a, b, c);` in place of `matmul(n, m, l, a, b, c);`.
 * Compile with `nvcc -O3 -arch=sm_80 -c matmul_matmul.cu` and link matmul_matmul.o with the program and
 * -lcudart. With -fmad=false nvcc rounds each product and each sum by itself, as C compilers do.
 * An error of CUDA ends the program with a message.
 */
#include <climits>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static __global__ void __launch_bounds__(256)
matmul_kernel(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n, int m,
              int l)
{
    __shared__ float a_tile[64][16 + 1];
    __shared__ float b_tile[16][16];
    const int j_block = blockIdx.x * 16;
    const int j = j_block + threadIdx.x;
    for (int i_block = blockIdx.y * 64; i_block < n; i_block += gridDim.y * 64) {
        float sum[4];
        #pragma unroll
        for (int fy = 0; fy < 4; fy++) {
            sum[fy] = 0.0f;
        }
        for (int k_chunk = 0; k_chunk < l; k_chunk += 16) {
            for (int row = threadIdx.y; row < 64; row += 16) {
                const int column = threadIdx.x;
                if (i_block + row < n && k_chunk + column < l)
                    a_tile[row][column] = a[(long)(i_block + row) * l + k_chunk + column];
            }
            {
                const int row = threadIdx.y, column = threadIdx.x;
                if (k_chunk + row < l && j_block + column < m)
                    b_tile[row][column] = b[(long)(k_chunk + row) * m + j_block + column];
            }
            __syncthreads();
            const int k_end = min(k_chunk + 16, l);
            for (int k = k_chunk; k < k_end; k++) {
                #pragma unroll
                for (int fy = 0; fy < 4; fy++) {
                    const int i = min(i_block + (int)threadIdx.y * 4 + fy, n - 1);
                    sum[fy] += a_tile[i - i_block][k - k_chunk] * b_tile[k - k_chunk][threadIdx.x];
                }
            }
            __syncthreads();
        }
        #pragma unroll
        for (int fy = 0; fy < 4; fy++) {
            const int i = i_block + threadIdx.y * 4 + fy;
            if (i < n && j < m) {
                c[(long)i * m + j] = sum[fy];
            }
        }
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

extern "C" void matmul_cuda(int n, int m, int l, const float *a, const float *b, float *c)
{
    if (m <= 0 || n <= 0)
        return;
    require(n <= INT_MAX - 4194239, "n <= INT_MAX - 4194239");
    require(l <= INT_MAX - 15, "l <= INT_MAX - 15");

    /* a: only read. */
    const long a_count = l > 0 ? (long)n * l : 0;
    float *d_a = nullptr;
    CHECK(cudaMalloc(&d_a, (a_count > 0 ? a_count : 1) * sizeof(float)));
    CHECK(cudaMemcpy(d_a, a, a_count * sizeof(float), cudaMemcpyHostToDevice));

    /* b: only read. */
    const long b_count = l > 0 ? (long)m * l : 0;
    float *d_b = nullptr;
    CHECK(cudaMalloc(&d_b, (b_count > 0 ? b_count : 1) * sizeof(float)));
    CHECK(cudaMemcpy(d_b, b, b_count * sizeof(float), cudaMemcpyHostToDevice));

    /* c: written in full, so that nothing is copied to the device. */
    const long c_count = (long)n * m;
    float *d_c = nullptr;
    CHECK(cudaMalloc(&d_c, c_count * sizeof(float)));

    const dim3 block(16, 16);
    const dim3 grid(blocks_along(m, 16, 2147483647), blocks_along(n, 64, 65535));
    matmul_kernel<<<grid, block>>>(d_a, d_b, d_c, n, m, l);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(c, d_c, c_count * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
}
