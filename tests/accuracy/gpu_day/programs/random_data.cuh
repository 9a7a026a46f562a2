// Pseudo-random data that the device writes and the host knows: an element follows from its stream and its place alone,
// so that nothing is copied, and the reference need not trust what the device has. Splitmix64 mixes the bits: G.
// Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calibration.cuh"

// Streams don't meet below 2^40 elements.
static __host__ __device__ inline uint32_t random_word(unsigned stream, size_t i)
{
    uint64_t mixed = ((uint64_t{stream} << 40) + i + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>(mixed >> 32);
}

struct RandomWords {
    unsigned stream;
    __host__ __device__ uint32_t operator()(size_t i) const { return random_word(stream, i); }
};

// From 0.5 to 1.5, as `warplens measure` has them: sums lose nothing by cancelling. 23 bits are exact in float, so that
// host and device have the same.
struct RandomFloats {
    unsigned stream;
    __host__ __device__ float operator()(size_t i) const
    {
        return 0.5f + static_cast<float>(random_word(stream, i) >> 9) * 0x1p-23f;
    }
};

// Uniform below a bound.
struct RandomBelow {
    unsigned stream;
    uint32_t bound;
    __host__ __device__ uint32_t operator()(size_t i) const
    {
        return static_cast<uint32_t>(uint64_t{random_word(stream, i)} * bound >> 32);
    }
};

template <class Value> struct Constant {
    Value value;
    __host__ __device__ Value operator()(size_t) const { return value; }
};

struct Place {
    __host__ __device__ uint32_t operator()(size_t i) const { return static_cast<uint32_t>(i); }
};

template <class Value, class Element>
static __global__ void fill_elements(Value *values, size_t count, Element element)
{
    size_t step = size_t{gridDim.x} * blockDim.x;
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
        values[i] = element(i);
}

template <class Value, class Element> static void fill(const DeviceArray<Value> &array, Element element)
{
    fill_elements<Value, Element><<<8 * sm_count(), 256>>>(array.data(), array.count(), element);
    CHECK_KERNELS();
}

// The same on the host.
template <class Value, class Element> static std::vector<Value> host_elements(size_t count, Element element)
{
    std::vector<Value> values(count);
    for (size_t i = 0; i < count; i++)
        values[i] = element(i);
    return values;
}
