// Arrays on the device, and how large they may be.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check.cuh"

// `count` elements, freed with it. Other processes may hold most of the memory: sizes come from `free_bytes`.
template <class T> class DeviceArray {
  public:
    explicit DeviceArray(size_t count) : count_(count) { CHECK(cudaMalloc(&data_, bytes())); }
    explicit DeviceArray(const std::vector<T> &values) : DeviceArray(values.size())
    {
        CHECK(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
    }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;
    ~DeviceArray() { cudaFree(data_); }

    T *data() const { return data_; }
    size_t count() const { return count_; }
    size_t bytes() const { return count_ * sizeof(T); }
    void fill(int byte) const { CHECK(cudaMemset(data_, byte, bytes())); }

    std::vector<T> on_host() const
    {
        std::vector<T> values(count_);
        CHECK(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
        return values;
    }

  private:
    T *data_ = nullptr;
    size_t count_;
};

static size_t free_bytes()
{
    size_t free = 0, total = 0;
    CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

static int attribute(cudaDeviceAttr which)
{
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static int sm_count() { return attribute(cudaDevAttrMultiProcessorCount); }
static int max_warps_per_sm() { return attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / 32; }
static size_t l2_bytes() { return static_cast<size_t>(attribute(cudaDevAttrL2CacheSize)); }

// Largest power of two that is not above `bytes`, at least 1.
static size_t power_of_two_within(size_t bytes)
{
    size_t power = 1;
    while (power <= bytes / 2)
        power *= 2;
    return power;
}

// A power of two that is at least `times` L2 and `least_bytes`, less where a quarter of the free memory is less.
static size_t beyond_l2_bytes(size_t times, size_t least_bytes)
{
    size_t wanted = std::max(times * l2_bytes(), least_bytes), power = power_of_two_within(wanted);
    size_t bytes = std::min(power < wanted ? 2 * power : power, power_of_two_within(free_bytes() / 4));
    if (bytes < 2 * l2_bytes())
        FAIL("not enough memory is free for an array beyond L2");
    return bytes;
}

// Pseudo-random words (splitmix64's mixing): data that no memory compresses and no unit runs faster on.
static __global__ void fill_random_kernel(uint32_t *words, size_t count)
{
    size_t step = size_t{gridDim.x} * blockDim.x;
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
        uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        // The exponent of a float between 1 and 2: sums and products of the data stay ordinary numbers.
        words[i] = 0x3f800000u | (static_cast<uint32_t>(mixed >> 41) & 0x007fffffu);
    }
}

template <class T> static void fill_random(const DeviceArray<T> &array)
{
    uint32_t *words = reinterpret_cast<uint32_t *>(array.data());
    fill_random_kernel<<<8 * sm_count(), 256>>>(words, array.bytes() / sizeof *words);
    CHECK_KERNELS();
}
