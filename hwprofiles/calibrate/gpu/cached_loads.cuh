// Many loads in flight from a small region that stays where it is: shared memory or L1.
//
// A warp reads 8 rows, 512 bytes after one another, from a row on that depends on the warp and the pass (so that no
// load is one that the compiler has seen). Where a lane reads in a row is the caller's: up to 8 KiB from the row's
// start.
#pragma once
#include "sm_rates.cuh"

enum {
    ROW_BYTES = 512,
    ROWS_PER_PASS = 8,
    FIRST_ROWS = 16,
    LANES_APART_BYTES = 8192,
    REGION_BYTES = ROW_BYTES * (ROWS_PER_PASS + FIRST_ROWS) + LANES_APART_BYTES,
    READ_PASSES = 512
};

struct FromShared {
    using Address = uint32_t;
    static __device__ __forceinline__ void load(Address at, uint32_t &a)
    {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
    }
    static __device__ __forceinline__ void load(Address at, uint2 &a)
    {
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a.x), "=r"(a.y) : "r"(at));
    }
    static __device__ __forceinline__ void load(Address at, uint4 &a)
    {
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a.x), "=r"(a.y), "=r"(a.z), "=r"(a.w) : "r"(at));
    }
};

// As C's loads: the default is .ca, which written out becomes another instruction.
struct FromL1 {
    using Address = uint64_t;
    static __device__ __forceinline__ void load(Address at, uint32_t &a)
    {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(at));
    }
    static __device__ __forceinline__ void load(Address at, uint2 &a)
    {
        asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(a.x), "=r"(a.y) : "l"(at));
    }
    static __device__ __forceinline__ void load(Address at, uint4 &a)
    {
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a.x), "=r"(a.y), "=r"(a.z), "=r"(a.w)
                     : "l"(at));
    }
};

static __device__ __forceinline__ uint32_t mixed(uint32_t a) { return a; }
static __device__ __forceinline__ uint32_t mixed(uint2 a) { return a.x ^ a.y; }
static __device__ __forceinline__ uint32_t mixed(uint4 a) { return a.x ^ a.y ^ a.z ^ a.w; }

template <class From, class Value>
static __device__ __forceinline__ uint32_t read_pass(typename From::Address lane_address, uint32_t row)
{
    typename From::Address at = lane_address + ROW_BYTES * (row % FIRST_ROWS);
    Value values[ROWS_PER_PASS];
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < ROWS_PER_PASS; i++)
        From::load(at + ROW_BYTES * i, values[i]);
#pragma unroll
    for (int i = 0; i < ROWS_PER_PASS; i++)
        sum ^= mixed(values[i]);
    return sum;
}

// `passes` times 8 requests of each warp, once all that they read has been read: L1 holds it.
template <class From, class Value>
static __device__ __forceinline__ void read_rows(typename From::Address lane_address, int passes, uint32_t *results,
                                                 WarpTime *times)
{
    uint32_t sum = 0, row = threadIdx.x / 32;
#pragma unroll 1
    for (int pass = 0; pass < FIRST_ROWS; pass++)
        sum ^= read_pass<From, Value>(lane_address, row++);
    __syncthreads();
    int64_t start = clock_cycles();
#pragma unroll 1
    for (int pass = 0; pass < passes; pass++)
        sum ^= read_pass<From, Value>(lane_address, row++);
    int64_t stop = clock_cycles();
    note_warp(times, start, stop);
    results[size_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}

using RowKernel = void (*)(const uint32_t *region, int passes, int argument, uint32_t *results, WarpTime *times);

// Requests per cycle of an SM.
static Samples requests_per_clk(const Plan &plan, const Residency &on, RowKernel kernel, int argument)
{
    DeviceArray<uint32_t> results(32 * static_cast<size_t>(on.warps())), region(REGION_BYTES / sizeof(uint32_t));
    fill_random(region);
    return rates_per_sm(plan, on, double(READ_PASSES) * ROWS_PER_PASS, [&](WarpTime *times) {
        kernel<<<on.blocks(), on.threads()>>>(region.data(), READ_PASSES, argument, results.data(), times);
    });
}

// Bytes per cycle of an SM, over the number of its warps.
static void write_read_bandwidth(const Plan &plan, RowKernel kernel, int access_bytes)
{
    for (int warps : warp_counts(plan)) {
        Residency on = residency(warps);
        if (!fits(kernel, on))
            continue;
        Samples rates = requests_per_clk(plan, on, kernel, 0);
        for (double &rate : rates)
            rate *= 32 * access_bytes;
        write_series(plan, "bandwidth", {{"warps_per_sm", warps}, {"access_bytes", access_bytes}}, "B/clk/SM", rates);
    }
}

// SM cycles per request, with 32 warps on each SM.
static void write_request_cycles(const Plan &plan, const char *series, const char *argument_name, RowKernel kernel,
                                 int argument)
{
    Samples cycles = requests_per_clk(plan, residency(32), kernel, argument);
    for (double &one : cycles)
        one = 1 / one;
    write_series(plan, series, {{argument_name, argument}}, "cycles", cycles);
}
