// cub::DeviceReduce on the CPU.
#pragma once
#include <numeric>

#include "cub/on_host.h"

namespace cub {

struct DeviceReduce {
    template <class Value>
    static cudaError_t Sum(void *scratch, std::size_t &bytes, const Value *values, Value *sum, int count)
    {
        if (asks_for_bytes(scratch, bytes))
            return cudaSuccess;
        std::vector<Value> all = from_device(values, std::size_t(count));
        return to_device(sum, std::vector<Value>{Value(std::accumulate(all.begin(), all.end(), 0.0))});
    }
};

} // namespace cub
