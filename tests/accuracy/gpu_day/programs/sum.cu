// The sum of n floats: by atomics of all threads or of blocks, in two passes, and by CUB.
//
// The hand-written ones have a grid that fills the GPU. What must be 0 before is cleared within the time. Method: M.
// Harris, "Optimizing Parallel Reduction in CUDA", NVIDIA 2007; J. Luitjens, "Faster Parallel Reductions on Kepler",
// NVIDIA 2014.
#include <cub/device/device_reduce.cuh>

#include "comparison.cuh"
#include "sum_kernels.cuh"

int main(int count, char **arguments)
{
    CommandLine line("sum", {{"n", 1 << 27, 1, INT_MAX}}, count, arguments);
    int n = line["n"];
    Comparison comparison(line);
    RandomFloats value_of{1};
    DeviceArray<float> values(n), sum(1);
    fill(values, value_of);
    Reference reference(1, MANY_OUTPUTS, n, [&](size_t) {
        double expected = 0;
        for (int i = 0; i < n; i++)
            expected += value_of(i);
        return expected;
    });
    Result<float> result{sum, reference, values.bytes() + sum.bytes()};

    enum { THREADS = 256 };
    dim3 blocks = std::min(blocks_that_fill(THREADS), blocks_for(n, THREADS));
    DeviceArray<float> of_block(blocks.x);
    comparison.kernel("atomic per thread", result, blocks, THREADS, [&](dim3 grid, dim3 block) {
        CHECK(cudaMemsetAsync(sum.data(), 0, sum.bytes()));
        atomic_per_thread<<<grid, block>>>(n, values.data(), sum.data());
    });
    comparison.kernel("atomic per block", result, blocks, THREADS, [&](dim3 grid, dim3 block) {
        CHECK(cudaMemsetAsync(sum.data(), 0, sum.bytes()));
        atomic_per_block<<<grid, block>>>(n, values.data(), sum.data());
    });
    comparison.kernel("two passes", result, blocks, THREADS, [&](dim3 grid, dim3 block) {
        sum_per_block<<<grid, block>>>(n, values.data(), of_block.data());
        sum_per_block<<<1, block>>>(of_block.count(), of_block.data(), sum.data());
    });
    size_t bytes = 0;
    CHECK(cub::DeviceReduce::Sum(nullptr, bytes, values.data(), sum.data(), n));
    DeviceArray<char> scratch(bytes);
    comparison.by_library("CUB DeviceReduce::Sum", "", result, [&] {
        CHECK(cub::DeviceReduce::Sum(scratch.data(), bytes, values.data(), sum.data(), n));
    });
    return comparison.done();
}
