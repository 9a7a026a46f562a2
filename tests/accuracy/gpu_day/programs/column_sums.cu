// The sum of each column of a row-major matrix of n rows and m columns, in float: a thread for a column, which has as
// many threads as there are columns, or a block for a tile of columns and a chunk of rows, which has many more.
//
// Blocks add what they have by atomics, as J. Luitjens, "Faster Parallel Reductions on Kepler", NVIDIA 2014, does for
// one sum. The sums are cleared before, within the time.
#include "comparison.cuh"
#include "column_sums_kernels.cuh"

int main(int count, char **arguments)
{
    // A grid has at most 65535 blocks along y.
    CommandLine line("column_sums", {{"n", 65536, 1, 65535 * CHUNK_ROWS}, {"m", 1024, 1, INT_MAX / 32}}, count,
                     arguments);
    int n = line["n"], m = line["m"];
    Comparison comparison(line);
    RandomFloats a_of{1};
    DeviceArray<float> a(size_t(n) * m), sums(m);
    fill(a, a_of);
    Reference reference(m, MANY_OUTPUTS, n, [&](size_t column) {
        double sum = 0;
        for (int row = 0; row < n; row++)
            sum += a_of(size_t(row) * m + column);
        return sum;
    });
    Result<float> result{sums, reference, a.bytes() + sums.bytes()};

    enum { THREADS = 256 };
    comparison.kernel("thread per column", result, blocks_for(m, THREADS), THREADS, [&](dim3 grid, dim3 block) {
        thread_per_column<<<grid, block>>>(n, m, a.data(), sums.data());
    });
    dim3 tiles(blocks_for(m, TILE_COLUMNS), blocks_for(n, CHUNK_ROWS)), tile(TILE_COLUMNS, TILE_THREAD_ROWS);
    comparison.kernel("32 columns x 256 rows per block", result, tiles, tile, [&](dim3 grid, dim3 block) {
        CHECK(cudaMemsetAsync(sums.data(), 0, sums.bytes()));
        tile_and_chunk<<<grid, block>>>(n, m, a.data(), sums.data());
    });
    return comparison.done();
}
