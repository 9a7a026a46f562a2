// The softmax of each of n rows of m floats: a thread, a warp or a block for a row. A row is read three times, so that
// what a cache keeps between the loops counts too. Method: M. Milakov and N. Gimelshein, "Online normalizer calculation
// for softmax", arXiv:1805.02867, whose "safe softmax" has these three loops.
#include "comparison.cuh"
#include "row_softmax_kernels.cuh"

// From 4 to 12: what rows add up differs from element to element, and nothing vanishes.
struct Logits {
    __host__ __device__ float operator()(size_t i) const { return 8 * RandomFloats{1}(i); }
};

int main(int count, char **arguments)
{
    CommandLine line("row_softmax", {{"n", 16384, 1, INT_MAX / 32}, {"m", 4096, 1, INT_MAX / 32}}, count, arguments);
    int n = line["n"], m = line["m"];
    Comparison comparison(line);
    Logits x_of;
    DeviceArray<float> x(size_t(n) * m), y(size_t(n) * m);
    fill(x, x_of);
    Reference reference(y.count(), SOME_OUTPUTS, m, [&](size_t at) {
        size_t first = at / m * m;
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += std::exp(double(x_of(first + j)));
        return std::exp(double(x_of(at))) / sum;
    });
    Result<float> result{y, reference, x.bytes() + y.bytes()};

    enum { THREADS = 256, WARPS = THREADS / 32 };
    comparison.kernel("thread per row", result, blocks_for(n, THREADS), THREADS, [&](dim3 grid, dim3 block) {
        thread_per_row<<<grid, block>>>(n, m, x.data(), y.data());
    });
    comparison.kernel("warp per row", result, blocks_for(n, WARPS), THREADS, [&](dim3 grid, dim3 block) {
        warp_per_row<<<grid, block>>>(n, m, x.data(), y.data());
    });
    comparison.kernel("block per row", result, n, THREADS, [&](dim3 grid, dim3 block) {
        block_per_row<<<grid, block>>>(m, x.data(), y.data());
    });
    return comparison.done();
}
