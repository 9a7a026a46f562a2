// Kernels with one defect each, and their right twins: what the CPU's GPU must find, and must not.
#include <cuda_runtime.h>

#include <stdio.h>

#define SPAN 96

__global__ void reversed(int n, const float *__restrict__ from, float *__restrict__ to, bool has_barrier)
{
    __shared__ float tile[SPAN];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? from[i] : 0.0f;
    if (has_barrier)
        __syncthreads();
    if (i < n)
        to[i] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void refilled(int n, const float *__restrict__ from, float *__restrict__ to, bool has_second_barrier)
{
    __shared__ float tile[SPAN];
    float sum = 0;
    for (int start = 0; start < n; start += blockDim.x) {
        tile[threadIdx.x] = start + threadIdx.x < n ? from[start + threadIdx.x] : 0.0f;
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++)
            sum += tile[k];
        if (has_second_barrier)
            __syncthreads();
    }
    if (blockIdx.x * blockDim.x + threadIdx.x < n)
        to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void early_return(int n, float *to, bool returns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (returns && i >= n)
        return;
    __syncthreads();
    if (i < n)
        to[i] = 1;
}

__global__ void divergent(int n, float *to)
{
    if (threadIdx.x % 2)
        __syncthreads();
    else
        __syncthreads();
    to[0] = 1;
}

__global__ void shared_overrun(int n, float *to, int beyond)
{
    __shared__ float tile[4][SPAN / 4];
    tile[threadIdx.x / 24][threadIdx.x % 24 + (threadIdx.x == 95 ? beyond : 0)] = 1;
    to[threadIdx.x] = tile[threadIdx.x / 24][threadIdx.x % 24];
}

__global__ void plain(int n, const float *from, float *to, int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i + shift];
}

__global__ void not_all_written(int n, const float *from, float *to, int written)
{
    __shared__ float tile[SPAN];
    if (threadIdx.x < written)
        tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x] == tile[threadIdx.x] ? tile[threadIdx.x] : -1;
}

__global__ void warp_sum(int n, const float *from, float *to, unsigned mask, bool guards)
{
    float sum = threadIdx.x < n ? from[threadIdx.x] : 0;
    for (int by = 16; by > 0; by /= 2) {
        float other = __shfl_down_sync(mask, sum, by);
        if (!guards || threadIdx.x + by < blockDim.x)
            sum += other;
    }
    if (threadIdx.x == 0)
        to[0] = sum;
}

__global__ void counted(int *count, bool is_atomic)
{
    if (is_atomic)
        atomicAdd(count, 1);
    else
        *count += 1;
}

__global__ void chained_blocks(float *values)
{
    if (threadIdx.x == 0 && blockIdx.x > 0)
        values[blockIdx.x] = values[blockIdx.x - 1] + 1;
}

__global__ void in_parts(float *to, int beyond)
{
    char *bytes = reinterpret_cast<char *>(to), *neighbours = bytes + 64 * sizeof(float);
    to[threadIdx.x] = 0;
    bytes[threadIdx.x * sizeof(float) + sizeof(float) - 1 + beyond] = 1;
    neighbours[threadIdx.x] = 1;
}

// All threads of a warp read what one of them then writes, behind a meeting of the warp or not.
static __global__ void read_by_all(float *to, bool meets)
{
    const float before = to[0];
    if (meets)
        __syncwarp();
    if (threadIdx.x == 3)
        to[0] += before;
}

struct Memory {
    float *from = nullptr, *to = nullptr;
    Memory(const float *values, int n)
    {
        cudaMalloc(&from, n * sizeof(float));
        cudaMalloc(&to, n * sizeof(float));
        cudaMemcpy(from, values, n * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemset(to, 0, n * sizeof(float));
    }
    void back(float *values, int n)
    {
        cudaMemcpy(values, to, n * sizeof(float), cudaMemcpyDeviceToHost);
        cudaFree(from);
        cudaFree(to);
    }
};

// Runs one case; what it leaves in `out` is compared over the orders.
static void run(int number, const float *values, float *out, int n)
{
    Memory memory(values, n);
    float *from = memory.from, *to = memory.to;
    int *count = reinterpret_cast<int *>(to);
    switch (number) {
    case 0: reversed<<<3, 32>>>(n, from, to, true); break;
    case 1: reversed<<<3, 32>>>(n, from, to, false); break;
    case 2: refilled<<<3, 32>>>(n, from, to, true); break;
    case 3: refilled<<<3, 32>>>(n, from, to, false); break;
    case 4: early_return<<<3, 32>>>(n, to, false); break;
    case 5: early_return<<<3, 32>>>(n - 40, to, true); break;
    case 6: divergent<<<1, 64>>>(n, to); break;
    case 7: shared_overrun<<<1, 96>>>(n, to, 0); break;
    case 8: shared_overrun<<<1, 96>>>(n, to, 1); break;
    case 9: plain<<<3, 32>>>(n, from, to, 0); break;
    case 10: plain<<<3, 32>>>(n, from, to, 1); break;
    case 11: plain<<<3, 32>>>(n, values, to, 0); break;
    case 12: not_all_written<<<1, 64>>>(n, from, to, 64); break;
    case 13: not_all_written<<<1, 64>>>(n, from, to, 63); break;
    case 14: warp_sum<<<1, 32>>>(n, from, to, 0xffffffff, false); break;
    case 15: warp_sum<<<1, 20>>>(n, from, to, 0xffffffff, true); break;
    case 16: warp_sum<<<1, 20>>>(n, from, to, 0xffffffff, false); break;
    case 17: warp_sum<<<1, 32>>>(n, from, to, 0x0000ffff, false); break;
    case 18: counted<<<dim3(2, 3), dim3(8, 4, 2)>>>(count, true); break;
    case 19: counted<<<dim3(2, 3), dim3(8, 4, 2)>>>(count, false); break;
    case 20: chained_blocks<<<5, 32>>>(to); break;
    case 21: plain<<<0, 32>>>(n, from, to, 0); break;
    case 22: plain<<<1, 2048>>>(n, from, to, 0); break;
    case 23: cudaMalloc(&from, 4); break;
    case 24: cudaMemcpy(out, to, 4, cudaMemcpyHostToDevice); break;
    case 25: cudaMemcpy(to, values, (n + 1) * sizeof(float), cudaMemcpyHostToDevice); break;
    case 26: out[0] = *to; break;
    case 27: in_parts<<<1, 32>>>(to, 0); break;
    case 28: in_parts<<<1, 32>>>(to, 1); break;
    case 29: read_by_all<<<1, 32>>>(to, true); break;
    case 30: read_by_all<<<1, 32>>>(to, false); break;
    case 31: read_by_all<<<1, 64>>>(to, true); break;
    }
    memory.back(out, n);
}
