// Chains of one operation: latency from a chain of one warp, throughput from several chains of many warps.
//
// Method: H. Wong et al., "Demystifying GPU Microarchitecture through Microbenchmarking", ISPASS 2010 (dependent chains
// between two clock reads, two lengths); Z. Jia et al., arXiv:1804.06826, and H. Abdelkhalik et al., arXiv:2208.11174
// (PTX that the compiler can't fold, what it became read back as SASS).
#pragma once
#include <initializer_list>

#include "sm_rates.cuh"

// The values of one chain: what an operation is given as its result, and a second one beside it.
template <class T> struct Link {
    T x, y;
};

enum { MOST_CHAINS = 4 };

// Two operands, then x and y of each chain, each once per lane. They are read from memory as volatile, and by lane, so
// that the compiler knows none of them, doesn't see that chains start alike, and has no use for the uniform datapath.
template <class T> static std::vector<T> chain_values(T a, T b, T x, T y)
{
    std::vector<T> values;
    for (int i = 0; i < 1 + MOST_CHAINS; i++) {
        values.insert(values.end(), 32, i == 0 ? a : x);
        values.insert(values.end(), 32, i == 0 ? b : y);
    }
    return values;
}

template <class T> static __device__ __forceinline__ Link<T> link_of_lane(const volatile T *values, int i)
{
    const volatile T *of_lane = values + 64 * i + threadIdx.x % 32;
    return {of_lane[0], of_lane[32]};
}

// Bits that whole warps branch on: not by lane, else each branch has instructions that bring the lanes together again.
using UniformBits = unsigned;

static __device__ __forceinline__ Link<UniformBits> link_of_lane(const volatile UniformBits *values, int i)
{
    return {values[64 * i], values[64 * i + 32]};
}

template <class T> struct ChainArguments {
    const volatile T *values;
    T *results;
    int passes;
    int64_t *cycles;
    WarpTime *times;
};

// Cycles of LINKS operations in a row, straight-line code: the loop's control is outside of the clock reads.
template <class Op, int LINKS, class T>
static __device__ __forceinline__ void dependent_chain(const ChainArguments<T> &arguments)
{
    Link<T> with = link_of_lane(arguments.values, 0), at = link_of_lane(arguments.values, 1);
#pragma unroll 1
    for (int pass = 0; pass < arguments.passes; pass++) {
        int64_t start = clock_cycles();
#pragma unroll
        for (int i = 0; i < LINKS; i++)
            Op::step(at, with, i);
        int64_t stop = clock_cycles();
        if (threadIdx.x == 0)
            arguments.cycles[pass] = stop - start;
    }
    arguments.results[2 * threadIdx.x] = at.x;
    arguments.results[2 * threadIdx.x + 1] = at.y;
}

// `passes` times STEPS operations of each of CHAINS chains; the loop's control is 3 instructions in CHAINS * STEPS. The
// first round, of one pass, waits for the values and brings the instructions; its times are written over.
template <class Op, int CHAINS, int STEPS, class T>
static __device__ __forceinline__ void independent_chains(const ChainArguments<T> &arguments)
{
    Link<T> with = link_of_lane(arguments.values, 0), at[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; chain++)
        at[chain] = link_of_lane(arguments.values, 1 + chain);
    int64_t start, stop;
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        int passes = round == 0 ? 1 : arguments.passes;
        __syncthreads();
        start = clock_cycles();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++)
#pragma unroll
            for (int i = 0; i < STEPS; i++)
#pragma unroll
                for (int chain = 0; chain < CHAINS; chain++)
                    Op::step(at[chain], with, i);
        stop = clock_cycles();
    }
    note_warp(arguments.times, start, stop);
    size_t thread = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll
    for (int chain = 0; chain < CHAINS; chain++) {
        arguments.results[2 * (CHAINS * thread + chain)] = at[chain].x;
        arguments.results[2 * (CHAINS * thread + chain) + 1] = at[chain].y;
    }
}

// An operation's kernels, whose names the SASS check looks for. STEPS operations of a chain are a loop's body.
#define CHAIN_KERNELS(OP)                                                                                              \
    template <int LINKS> static __global__ void dependent_##OP(ChainArguments<OP::Value> arguments)                    \
    {                                                                                                                  \
        dependent_chain<OP, LINKS>(arguments);                                                                         \
    }                                                                                                                  \
    template <int CHAINS>                                                                                              \
    static __global__ void __launch_bounds__(1024) independent_##OP(ChainArguments<OP::Value> arguments)               \
    {                                                                                                                  \
        independent_chains<OP, CHAINS, OP::LINKS>(arguments);                                                          \
    }

template <class T> using ChainKernel = void (*)(ChainArguments<T>);

// One warp; a kernel runs the chain again and again, the first times to fill the caches of instructions.
template <class T>
static void write_dependent(const Plan &plan, const std::vector<T> &start, int links, ChainKernel<T> kernel)
{
    enum { FIRST_PASSES = 4, THREADS = 32 };
    DeviceArray<T> values(start), results(2 * THREADS);
    DeviceArray<int64_t> cycles(static_cast<size_t>(FIRST_PASSES + plan.samples));
    int passes = static_cast<int>(cycles.count());
    for (int i = 0; i <= plan.warm_ups; i++) {
        kernel<<<1, THREADS>>>({values.data(), results.data(), passes, cycles.data(), nullptr});
        CHECK_KERNELS();
    }
    std::vector<int64_t> all = cycles.on_host();
    write_series(plan, "dependent", {{"links", links}}, "cycles", Samples(all.begin() + FIRST_PASSES, all.end()));
}

template <class T>
static void write_independent(const Plan &plan, const char *series, const std::vector<T> &start, int chains, int links,
                              ChainKernel<T> kernel)
{
    enum { TIMES_ALL_LINKS = 256 };
    int passes = TIMES_ALL_LINKS / chains;
    double results_per_warp = 32.0 * chains * links * passes;
    DeviceArray<T> values(start);
    DeviceArray<T> results(2 * static_cast<size_t>(chains) * 32 * residency(max_warps_per_sm()).warps());
    for (int warps : warp_counts(plan)) {
        Residency on = residency(warps);
        if (!fits(kernel, on))
            continue;
        Samples rates = rates_per_sm(plan, on, results_per_warp, [&](WarpTime *times) {
            kernel<<<on.blocks(), on.threads()>>>({values.data(), results.data(), passes, nullptr, times});
        });
        write_series(plan, series, {{"warps_per_sm", warps}, {"chains", chains}}, "results/clk/SM", rates);
    }
}

// An operation's kernels and the function that writes its series; OP::start() gives the values.
#define CHAIN_SERIES(OP)                                                                                               \
    CHAIN_KERNELS(OP)                                                                                                  \
    static void write_##OP(const Plan &plan)                                                                           \
    {                                                                                                                  \
        write_dependent(plan, OP::start(), OP::LINKS, dependent_##OP<OP::LINKS>);                                      \
        write_dependent(plan, OP::start(), 2 * OP::LINKS, dependent_##OP<2 * OP::LINKS>);                              \
        write_independent(plan, "independent", OP::start(), 1, OP::LINKS, independent_##OP<1>);                        \
        write_independent(plan, "independent", OP::start(), MOST_CHAINS, OP::LINKS, independent_##OP<MOST_CHAINS>);    \
    }

// The same for a quantity that has no other series.
#define MEASURE_CHAINS(OP)                                                                                             \
    CHAIN_SERIES(OP)                                                                                                   \
    static void instructions_##OP(const Plan &plan) { write_##OP(plan); }
