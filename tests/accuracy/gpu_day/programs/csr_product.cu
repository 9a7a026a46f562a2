// y = A x of a sparse matrix in CSR of n rows and m columns, in float: from which row length on does a warp for each
// row pay, and how far is cuSPARSE ahead?
//
// Lengths are uniform within `spread_percent` of `mean_length` to either side. A row's columns rise, each at random
// within its share of the row: x is read all over. Method: N. Bell and M. Garland, "Efficient Sparse Matrix-Vector
// Multiplication on CUDA", NVIDIA 2008.
#include "comparison.cuh"
#include "csr_product_kernels.cuh"
#include "cusparse.cuh"

struct SparseRows {
    std::vector<int> row_offsets{0}, columns;
    int longest = 0;

    SparseRows(int n, int m, int mean_length, int spread_percent)
    {
        int spread = static_cast<int>(int64_t{mean_length} * spread_percent / 100);
        RandomBelow extra{1, 2 * static_cast<uint32_t>(spread) + 1};
        for (int row = 0; row < n; row++) {
            int64_t length = mean_length - spread + static_cast<int>(extra(row));
            longest = std::max(longest, static_cast<int>(length));
            if (row_offsets.back() + length > INT_MAX)
                FAIL("more elements than 32-bit offsets can count");
            row_offsets.push_back(static_cast<int>(row_offsets.back() + length));
            for (int64_t k = 0; k < length; k++) {
                uint64_t share = (static_cast<uint64_t>(k) << 32) + random_word(2, columns.size());
                columns.push_back(static_cast<int>(share / static_cast<uint64_t>(length) * m >> 32));
            }
        }
    }
};

int main(int count, char **arguments)
{
    CommandLine line("csr_product",
                     {{"n", 1 << 20, 1, INT_MAX / 32},
                      {"m", 1 << 20, 1, INT_MAX / 32},
                      {"mean_length", 32, 1, 1 << 20},
                      {"spread_percent", 50, 0, 100}},
                     count, arguments);
    int n = line["n"], m = line["m"];
    Comparison comparison(line);
    SparseRows rows(n, m, line["mean_length"], line["spread_percent"]);
    RandomFloats value_of{3}, x_of{4};
    DeviceArray<int> row_offsets(rows.row_offsets), columns(rows.columns);
    DeviceArray<float> values(rows.columns.size()), x(m), y(n);
    fill(values, value_of);
    fill(x, x_of);
    std::vector<float> host_x = host_elements<float>(m, x_of);
    Reference reference(n, MANY_OUTPUTS, rows.longest, [&](size_t row) {
        double sum = 0;
        for (int k = rows.row_offsets[row]; k < rows.row_offsets[row + 1]; k++)
            sum += double(value_of(k)) * host_x[rows.columns[k]];
        return sum;
    });
    size_t data_bytes = row_offsets.bytes() + columns.bytes() + values.bytes() + x.bytes() + y.bytes();
    Result<float> result{y, reference, data_bytes};
    Cusparse cusparse;
    size_t buffer_bytes = 0;
    if (cusparse.missing().empty()) {
        cusparse.describe(n, m, rows.row_offsets.back(), row_offsets.data(), columns.data(), values.data(), x.data(),
                          y.data());
        buffer_bytes = cusparse.buffer_bytes();
    }
    DeviceArray<char> buffer(buffer_bytes);

    enum { THREADS = 256, WARPS = THREADS / 32 };
    comparison.kernel("thread per row", result, blocks_for(n, THREADS), THREADS, [&](dim3 grid, dim3 block) {
        thread_per_row<<<grid, block>>>(n, row_offsets.data(), columns.data(), values.data(), x.data(), y.data());
    });
    comparison.kernel("warp per row", result, blocks_for(n, WARPS), THREADS, [&](dim3 grid, dim3 block) {
        warp_per_row<<<grid, block>>>(n, row_offsets.data(), columns.data(), values.data(), x.data(), y.data());
    });
    comparison.by_library("cuSPARSE SpMV", cusparse.missing(), result, [&] { cusparse.multiply(buffer.data()); });
    if (cusparse.missing().empty())
        cusparse.preprocess(buffer.data());
    comparison.by_library("cuSPARSE SpMV, preprocessed", cusparse.missing(), result,
                       [&] { cusparse.multiply(buffer.data()); });
    return comparison.done();
}
