// Additions by many threads to a number of addresses, in global or shared memory; nobody uses the old value.
//
// Method: J. Gomez-Luna et al., "Performance Modeling of Atomic Additions on GPU Scratchpad Memory", IEEE TPDS 2013:
// over the number of addresses that threads share. Here for global memory too.
#pragma once
#include "../samples.cuh"
#include "../timing.cuh"

enum { ADDING_THREADS = 256, ADDS_PER_THREAD = 64, SHARED_ADDRESSES = 1024 };

// Thread `t` begins at (t >> shift) and goes on by all threads, so that they differ in every round; of the address only
// the bits in `mask` count, and addresses are `spacing` elements apart. The compiler sees no address that all lanes
// share, for which it would add up the lanes first.
template <class T>
static __global__ void add_global(T *sums, uint32_t shift, uint32_t mask, uint32_t spacing, T amount)
{
    uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) >> shift, step = (gridDim.x * blockDim.x) >> shift;
#pragma unroll 4
    for (int i = 0; i < ADDS_PER_THREAD; i++, at += step)
        atomicAdd(&sums[size_t{at & mask} * spacing], amount);
}

template <class T> static __global__ void add_shared(T *sums, uint32_t, uint32_t mask, uint32_t, T amount)
{
    __shared__ T of_block[SHARED_ADDRESSES];
    for (unsigned i = threadIdx.x; i < SHARED_ADDRESSES; i += blockDim.x)
        of_block[i] = 0;
    __syncthreads();
    uint32_t at = threadIdx.x;
#pragma unroll 4
    for (int i = 0; i < ADDS_PER_THREAD; i++, at += blockDim.x)
        atomicAdd(&of_block[at & mask], amount);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = of_block[0];
}

template <class T> using AddingKernel = void (*)(T *, uint32_t, uint32_t, uint32_t, T);

// Additions per second of `blocks` blocks; `addresses` is a power of two.
template <class T>
static Samples additions_per_s(const Plan &plan, AddingKernel<T> kernel, const DeviceArray<T> &sums, unsigned blocks,
                               uint32_t shift, uint32_t addresses, uint32_t spacing)
{
    EventTimer timer;
    return sampled(plan, [&] {
        sums.fill(0);
        double s = timer.seconds([&] {
            kernel<<<blocks, ADDING_THREADS>>>(sums.data(), shift, addresses - 1, spacing, T(1));
        });
        return double(blocks) * ADDING_THREADS * ADDS_PER_THREAD / s;
    });
}

// As many as fill the SMs with threads.
static unsigned blocks_that_fill()
{
    return static_cast<unsigned>(sm_count() * (32 * max_warps_per_sm() / ADDING_THREADS));
}
