// The transpose of a row-major matrix of n rows and m columns, in float: what do strided accesses cost, what does a
// tile in shared memory save, and what bank conflicts take of it.
//
// Method: G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA", NVIDIA 2009.
#include "comparison.cuh"
#include "transpose_kernels.cuh"

int main(int count, char **arguments)
{
    // A grid has at most 65535 blocks along y.
    enum { MOST = 65535 * TILE_THREAD_ROWS };
    CommandLine line("transpose", {{"n", 8192, 1, MOST}, {"m", 8192, 1, MOST}}, count, arguments);
    int n = line["n"], m = line["m"];
    Comparison comparison(line);
    RandomFloats from_of{1};
    DeviceArray<float> from(size_t(n) * m), to(size_t(n) * m);
    fill(from, from_of);
    Reference reference(to.count(), MANY_OUTPUTS, 0, [&](size_t at) { return from_of(at % n * m + at / n); });
    Result<float> result{to, reference, from.bytes() + to.bytes()};

    dim3 block(TILE, TILE_THREAD_ROWS), tiles(blocks_for(m, TILE), blocks_for(n, TILE));
    dim3 along_rows(blocks_for(m, TILE), blocks_for(n, TILE_THREAD_ROWS));
    dim3 along_columns(blocks_for(n, TILE), blocks_for(m, TILE_THREAD_ROWS));
    comparison.kernel("naive, coalesced loads", result, along_rows, block, [&](dim3 grid, dim3 shape) {
        coalesced_loads<<<grid, shape>>>(n, m, from.data(), to.data());
    });
    comparison.kernel("naive, coalesced stores", result, along_columns, block, [&](dim3 grid, dim3 shape) {
        coalesced_stores<<<grid, shape>>>(n, m, from.data(), to.data());
    });
    comparison.kernel("tile 32x32", result, tiles, block, [&](dim3 grid, dim3 shape) {
        tile_unpadded<<<grid, shape>>>(n, m, from.data(), to.data());
    });
    comparison.kernel("tile 32x33", result, tiles, block, [&](dim3 grid, dim3 shape) {
        tile_padded<<<grid, shape>>>(n, m, from.data(), to.data());
    });
    return comparison.done();
}
