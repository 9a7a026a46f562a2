// CUB on the CPU: what is on the device is copied to the host, worked on there, and copied back.
#pragma once
#include <cstddef>
#include <vector>

#include <cuda_runtime.h>

namespace cub {

enum { SCRATCH_BYTES = 16 };

// The first call only asks for the bytes; the second must bring them.
inline bool asks_for_bytes(void *scratch, std::size_t &bytes)
{
    if (scratch == nullptr)
        bytes = SCRATCH_BYTES;
    else if (bytes < SCRATCH_BYTES)
        std::abort();
    return scratch == nullptr;
}

template <class Value> std::vector<Value> from_device(const Value *at, std::size_t count)
{
    std::vector<Value> values(count);
    if (cudaMemcpy(values.data(), at, count * sizeof(Value), cudaMemcpyDeviceToHost) != cudaSuccess)
        std::abort();
    return values;
}

template <class Value> cudaError_t to_device(Value *at, const std::vector<Value> &values)
{
    return cudaMemcpy(at, values.data(), values.size() * sizeof(Value), cudaMemcpyHostToDevice);
}

} // namespace cub
