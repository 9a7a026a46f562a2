// C = A B of row-major matrices of n x k and k x m, in float: what tiles in shared memory bring, what several elements
// for a thread, and how far cuBLAS's sgemm is ahead, in its default mode, which computes in FP32 and not in TF32.
//
// Method: CUDA C++ Programming Guide, "Shared Memory"; V. Volkov, "Better Performance at Lower Occupancy", GTC 2010.
#include "comparison.cuh"
#include "cublas.cuh"
#include "matrix_product_kernels.cuh"

int main(int count, char **arguments)
{
    enum { MOST = 1 << 18 };
    CommandLine line("matrix_product", {{"n", 4096, 1, MOST}, {"m", 4096, 1, MOST}, {"k", 4096, 1, MOST}}, count,
                     arguments);
    int n = line["n"], m = line["m"], k = line["k"];
    Comparison comparison(line);
    RandomFloats a_of{1}, b_of{2};
    DeviceArray<float> a(size_t(n) * k), b(size_t(k) * m), c(size_t(n) * m);
    fill(a, a_of);
    fill(b, b_of);
    Reference reference(c.count(), SOME_OUTPUTS, k, [&](size_t at) {
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += double(a_of(at / m * k + i)) * b_of(size_t(i) * m + at % m);
        return sum;
    });
    Cublas cublas;
    Result<float> result{c, reference, a.bytes() + b.bytes() + c.bytes()};

    dim3 tiles(blocks_for(m, TILE), blocks_for(n, TILE)), rows_of_threads(TILE, TILE_THREAD_ROWS);
    dim3 elements(blocks_for(m, TILE), blocks_for(n, TILE_THREAD_ROWS));
    comparison.kernel("naive", result, elements, rows_of_threads, [&](dim3 grid, dim3 block) {
        naive<<<grid, block>>>(n, m, k, a.data(), b.data(), c.data());
    });
    comparison.kernel("tiled 32x32", result, tiles, dim3(TILE, TILE), [&](dim3 grid, dim3 block) {
        tiled<<<grid, block>>>(n, m, k, a.data(), b.data(), c.data());
    });
    comparison.kernel("tiled 32x32, 4 outputs per thread", result, tiles, rows_of_threads, [&](dim3 grid, dim3 block) {
        tiled_4_outputs<<<grid, block>>>(n, m, k, a.data(), b.data(), c.data());
    });
    comparison.by_library("cuBLAS sgemm", cublas.missing(), result,
                       [&] { cublas.multiply(n, m, k, a.data(), b.data(), c.data()); });
    return comparison.done();
}
