// y = A x of a row-major matrix of n rows and m columns, in float: how many threads should share a row?
//
// A thread of its own for each row reads lines that its neighbours don't; a warp reads whole lines and then adds up 32
// sums; a block has few rows in flight. Compared with cuBLAS's sgemv. Method: N. Bell and M. Garland, "Efficient Sparse
// Matrix-Vector Multiplication on CUDA", NVIDIA 2008, compare a thread and a warp per row for sparse rows.
#include "comparison.cuh"
#include "cublas.cuh"
#include "matrix_vector_kernels.cuh"

int main(int count, char **arguments)
{
    CommandLine line("matrix_vector", {{"n", 8192, 1, INT_MAX / 32}, {"m", 8192, 1, INT_MAX / 32}}, count, arguments);
    int n = line["n"], m = line["m"];
    Comparison comparison(line);
    RandomFloats a_of{1}, x_of{2};
    DeviceArray<float> a(size_t(n) * m), x(m), y(n);
    fill(a, a_of);
    fill(x, x_of);
    std::vector<float> host_x = host_elements<float>(m, x_of);
    Reference reference(n, MANY_OUTPUTS, m, [&](size_t row) {
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += double(a_of(row * m + j)) * host_x[j];
        return sum;
    });
    Cublas cublas;
    Result<float> result{y, reference, a.bytes() + x.bytes() + y.bytes()};

    enum { THREADS = 256, WARPS = THREADS / 32 };
    comparison.kernel("thread per row", result, blocks_for(n, THREADS), THREADS, [&](dim3 grid, dim3 block) {
        thread_per_row<<<grid, block>>>(n, m, a.data(), x.data(), y.data());
    });
    comparison.kernel("warp per row", result, blocks_for(n, WARPS), THREADS, [&](dim3 grid, dim3 block) {
        warp_per_row<<<grid, block>>>(n, m, a.data(), x.data(), y.data());
    });
    comparison.kernel("block per row", result, n, THREADS, [&](dim3 grid, dim3 block) {
        block_per_row<<<grid, block>>>(m, a.data(), x.data(), y.data());
    });
    comparison.by_library("cuBLAS sgemv", cublas.missing(), result,
                       [&] { cublas.multiply(n, m, a.data(), x.data(), y.data()); });
    return comparison.done();
}
