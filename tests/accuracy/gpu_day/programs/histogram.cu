// A histogram of n whole numbers below `bins`: atomics on the result itself, or on a copy of each block's own in shared
// memory that is added at the end; for uniform values, and for the worst case, values that are all equal.
//
// Both read alike, in a grid that fills the GPU. Both clear the counts first, within the time. Method: J. Gomez-Luna et
// al., "An optimized approach to histogram computation on GPU", Machine Vision and Applications 2013.
#include "comparison.cuh"
#include "histogram_kernels.cuh"

// Both variants on values of one kind.
template <class Element>
static void compare_variants(Comparison &comparison, const CommandLine &line, Element value_of, const char *global,
                             const char *copies)
{
    int n = line["n"], bins = line["bins"];
    DeviceArray<uint32_t> values(n), counts(bins);
    fill(values, value_of);
    std::vector<uint32_t> expected(bins);
    for (int i = 0; i < n; i++)
        expected[value_of(i)]++;
    Reference reference(bins, MANY_OUTPUTS, 0, [&](size_t bin) { return expected[bin]; });
    Result<uint32_t> result{counts, reference, values.bytes() + counts.bytes()};

    enum { THREADS = 256 };
    dim3 blocks = std::min(blocks_that_fill(THREADS), blocks_for(n, THREADS));
    comparison.kernel(global, result, blocks, THREADS, [&](dim3 grid, dim3 block) {
        CHECK(cudaMemsetAsync(counts.data(), 0, counts.bytes()));
        global_atomics<<<grid, block>>>(n, values.data(), counts.data());
    });
    comparison.kernel(copies, result, blocks, THREADS, [&](dim3 grid, dim3 block) {
        CHECK(cudaMemsetAsync(counts.data(), 0, counts.bytes()));
        copy_per_block<<<grid, block, counts.bytes()>>>(n, bins, values.data(), counts.data());
    });
}

int main(int count, char **arguments)
{
    // 48 KiB of shared memory are there for a block without asking.
    enum { MOST_BINS = 48 * 1024 / sizeof(uint32_t) };
    CommandLine line("histogram", {{"n", 1 << 26, 1, INT_MAX}, {"bins", 4096, 1, MOST_BINS}}, count, arguments);
    uint32_t bins = line["bins"];
    Comparison comparison(line);
    compare_variants(comparison, line, RandomBelow{1, bins}, "global atomics, uniform values",
                     "copy per block, uniform values");
    compare_variants(comparison, line, Constant<uint32_t>{bins / 2}, "global atomics, equal values",
                     "copy per block, equal values");
    return comparison.done();
}
