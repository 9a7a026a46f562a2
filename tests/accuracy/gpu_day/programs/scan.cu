// The sums of the first i elements of n, for each i, by CUB: of whole numbers, whose sums are exact, and of floats.
// What a loop that carries its sum from one iteration to the next takes once a library has it.
//
// Method of CUB: D. Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA 2016.
#include <cub/device/device_scan.cuh>

#include "comparison.cuh"

// The outputs that are compared rise, so that the sum goes on from one to the next.
template <class Value, class Sum, class Element>
static void scan(Comparison &comparison, const char *variant, int n, double terms, Element value_of)
{
    DeviceArray<Value> values(n), sums(n);
    fill(values, value_of);
    Sum sum = 0;
    size_t summed = 0;
    Reference reference(n, MANY_OUTPUTS, terms, [&](size_t i) {
        for (; summed <= i; summed++)
            sum += value_of(summed);
        return sum;
    });
    size_t bytes = 0;
    CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, values.data(), sums.data(), n));
    DeviceArray<char> scratch(bytes);
    comparison.by_library(variant, "", Result<Value>{sums, reference, values.bytes() + sums.bytes()}, [&] {
        CHECK(cub::DeviceScan::InclusiveSum(scratch.data(), bytes, values.data(), sums.data(), n));
    });
}

int main(int count, char **arguments)
{
    CommandLine line("scan", {{"n", 1 << 26, 1, INT_MAX}}, count, arguments);
    int n = line["n"];
    Comparison comparison(line);
    scan<uint32_t, uint32_t>(comparison, "CUB DeviceScan::InclusiveSum, uint32", n, 0, RandomWords{1});
    scan<float, double>(comparison, "CUB DeviceScan::InclusiveSum, float", n, n, RandomFloats{2});
    return comparison.done();
}
