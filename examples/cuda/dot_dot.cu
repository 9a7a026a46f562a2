/*
 * dot_dot.cu: a loop of `dot` (dot.c, lines 7 to 8) for CUDA.
 *
 * Predicted on A100 SXM4 40 GB with n = 16777216:
 * - 286 µs per launch, bound by memory bandwidth; block 1024; occupancy 100%, 9 registers.
 *
 * The result rests on:
 * - `sum` is combined in an order of the threads, not of the loop, which may differ from run to run: the last
 *   digits may differ.
 *
 * In the C program:
 *
 *     void dot_cuda(int n, const double *x, const double *y, double *sum_ptr);
 *
 * and `dot_cuda(n, x, y, &sum);` in place of dot.c, lines 7 to 8.
 * Compile with `nvcc -O3 -arch=sm_80 -c dot_dot.cu` and link dot_dot.o with the program and -lcudart. With
 * -fmad=false nvcc rounds each product and each sum by itself, as C compilers do.
 * An error of CUDA ends the program with a message.
 */
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static __device__ double block_sum(double value)
{
    __shared__ double of_warp[32];
    const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int threads = blockDim.x * blockDim.y * blockDim.z;
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffff, value, offset);
    }
    if (thread % 32 == 0) {
        of_warp[thread / 32] = value;
    }
    __syncthreads();
    if (thread == 0) {
        for (int warp = 1; warp < threads / 32; warp++) {
            value += of_warp[warp];
        }
    }
    __syncthreads();
    return value;
}

static __global__ void __launch_bounds__(1024)
dot_kernel(const double *__restrict__ x, const double *__restrict__ y, int n, double *__restrict__ sum_parts)
{
    double sum = 0.0;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum += x[i] * y[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        sum_parts[blockIdx.x] = sum;
    }
}

static __global__ void __launch_bounds__(256)
dot_finish_sum(const double *__restrict__ parts, long count, double *result)
{
    double value = 0.0;
    for (long part = threadIdx.x; part < count; part += blockDim.x) {
        value += parts[part];
    }
    value = block_sum(value);
    if (threadIdx.x == 0) {
        *result += value;
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

extern "C" void dot_cuda(int n, const double *x, const double *y, double *sum_ptr)
{
    if (n <= 0)
        return;

    double sum = *sum_ptr;

    /* x: only read. */
    double *d_x = nullptr;
    CHECK(cudaMalloc(&d_x, n * sizeof(double)));
    CHECK(cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice));

    /* y: only read. */
    double *d_y = nullptr;
    CHECK(cudaMalloc(&d_y, n * sizeof(double)));
    CHECK(cudaMemcpy(d_y, y, n * sizeof(double), cudaMemcpyHostToDevice));
    double *d_sum = nullptr;
    CHECK(cudaMalloc(&d_sum, sizeof(double)));

    const dim3 block(1024);
    const dim3 grid(blocks_along(n, 1024, 2147483647));
    const long blocks = (long)grid.x * grid.y * grid.z;
    double *sum_partials = nullptr;
    CHECK(cudaMalloc(&sum_partials, blocks * sizeof(double)));
    CHECK(cudaMemcpy(d_sum, &sum, sizeof(sum), cudaMemcpyHostToDevice));
    dot_kernel<<<grid, block>>>(d_x, d_y, n, sum_partials);
    CHECK(cudaGetLastError());
    dot_finish_sum<<<1, 256>>>(sum_partials, blocks, d_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_sum, sizeof(sum), cudaMemcpyDeviceToHost));

    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    CHECK(cudaFree(sum_partials));
    CHECK(cudaFree(d_sum));
    *sum_ptr = sum;
}
