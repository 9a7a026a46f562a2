// n 32-bit keys in order by CUB's radix sort: alone, and with 32-bit values that go along.
//
// Method of CUB: A. Adinets and D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs",
// arXiv:2206.01784.
#include <cub/device/device_radix_sort.cuh>

#include "comparison.cuh"

// Each key above its place, in the order of the keys, equal keys as they stand: a radix sort on the host.
static std::vector<uint64_t> sorted_with_places(int n, RandomWords key_of)
{
    enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };
    std::vector<uint64_t> from(n), to(n);
    for (int i = 0; i < n; i++)
        from[i] = uint64_t{key_of(i)} << 32 | static_cast<uint32_t>(i);
    for (int shift = 32; shift < 64; shift += DIGIT_BITS) {
        std::vector<size_t> starts(DIGITS + 1);
        for (uint64_t each : from)
            starts[(each >> shift) % DIGITS + 1]++;
        for (size_t digit = 1; digit <= DIGITS; digit++)
            starts[digit] += starts[digit - 1];
        for (uint64_t each : from)
            to[starts[(each >> shift) % DIGITS]++] = each;
        from.swap(to);
    }
    return from;
}

// Both must be right: the keys and what went along.
struct KeysAndValues {
    const Result<uint32_t> &keys, &values;
    size_t data_bytes;

    void spoil() const
    {
        keys.spoil();
        values.spoil();
    }

    Agreement agreement() const
    {
        Agreement of_keys = keys.agreement(), of_values = values.agreement();
        Agreement &worse = of_keys.differing > 0 ? of_keys : of_values;
        return {of_keys.compared + of_values.compared, of_keys.differing + of_values.differing,
                std::fmax(of_keys.largest_relative_error, of_values.largest_relative_error), worse.difference};
    }
};

int main(int count, char **arguments)
{
    CommandLine line("sort", {{"n", 1 << 25, 1, INT_MAX}}, count, arguments);
    int n = line["n"];
    Comparison comparison(line);
    RandomWords key_of{1};
    DeviceArray<uint32_t> keys(n), values(n), sorted_keys(n), sorted_values(n);
    fill(keys, key_of);
    fill(values, Place{});
    std::vector<uint64_t> sorted = sorted_with_places(n, key_of);
    Reference by_key(n, MANY_OUTPUTS, 0, [&](size_t i) { return sorted[i] >> 32; });
    Reference by_place(n, MANY_OUTPUTS, 0, [&](size_t i) { return static_cast<uint32_t>(sorted[i]); });
    Result<uint32_t> key_result{sorted_keys, by_key, keys.bytes() + sorted_keys.bytes()};
    Result<uint32_t> value_result{sorted_values, by_place, values.bytes() + sorted_values.bytes()};
    KeysAndValues pair_result{key_result, value_result, key_result.data_bytes + value_result.data_bytes};

    size_t bytes = 0, pair_bytes = 0;
    CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys.data(), sorted_keys.data(), n));
    CHECK(cub::DeviceRadixSort::SortPairs(nullptr, pair_bytes, keys.data(), sorted_keys.data(), values.data(),
                                          sorted_values.data(), n));
    DeviceArray<char> scratch(std::max(bytes, pair_bytes));
    comparison.by_library("CUB DeviceRadixSort::SortKeys", "", key_result, [&] {
        CHECK(cub::DeviceRadixSort::SortKeys(scratch.data(), bytes, keys.data(), sorted_keys.data(), n));
    });
    comparison.by_library("CUB DeviceRadixSort::SortPairs", "", pair_result, [&] {
        CHECK(cub::DeviceRadixSort::SortPairs(scratch.data(), pair_bytes, keys.data(), sorted_keys.data(),
                                              values.data(), sorted_values.data(), n));
    });
    return comparison.done();
}
