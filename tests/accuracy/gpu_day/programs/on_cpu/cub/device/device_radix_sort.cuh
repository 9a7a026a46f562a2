// cub::DeviceRadixSort on the CPU.
#pragma once
#include <algorithm>
#include <numeric>

#include "cub/on_host.h"

namespace cub {

struct DeviceRadixSort {
    template <class Key>
    static cudaError_t SortKeys(void *scratch, std::size_t &bytes, const Key *from, Key *to, int count)
    {
        if (asks_for_bytes(scratch, bytes))
            return cudaSuccess;
        std::vector<Key> keys = from_device(from, std::size_t(count));
        std::sort(keys.begin(), keys.end());
        return to_device(to, keys);
    }

    template <class Key, class Value>
    static cudaError_t SortPairs(void *scratch, std::size_t &bytes, const Key *keys_from, Key *keys_to,
                                 const Value *values_from, Value *values_to, int count)
    {
        if (asks_for_bytes(scratch, bytes))
            return cudaSuccess;
        std::vector<Key> keys = from_device(keys_from, std::size_t(count)), sorted_keys;
        std::vector<Value> values = from_device(values_from, std::size_t(count)), sorted_values;
        std::vector<std::size_t> order(keys.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
        for (std::size_t at : order) {
            sorted_keys.push_back(keys[at]);
            sorted_values.push_back(values[at]);
        }
        cudaError_t error = to_device(keys_to, sorted_keys);
        return error == cudaSuccess ? to_device(values_to, sorted_values) : error;
    }
};

} // namespace cub
