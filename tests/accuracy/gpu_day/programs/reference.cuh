// What plain C on the host has as the result, and how far a variant's result is from it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "calibration.cuh"
#include "random_data.cuh"

// How many outputs are compared: where one is worked out quickly, and where it takes a row of its own.
enum { MANY_OUTPUTS = 1 << 20, SOME_OUTPUTS = 512 };

struct Agreement {
    size_t compared = 0, differing = 0;
    double largest_relative_error = 0;
    std::string difference; // the first one, in words
};

template <class Value>
static __global__ void gather(size_t count, const size_t *places, const Value *values, Value *gathered)
{
    size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count)
        gathered[i] = values[places[i]];
}

// At most so many outputs, evenly spread. Reals may differ, relative to the larger, as docs/measure.md says, by
// 2^-23 (32 + 8 sqrt(terms)), terms being what is added up for one; whole numbers, which have 0 terms, may not.
class Reference {
  public:
    // `expected` is asked for rising places, so that it can go on from the last one.
    template <class Expected>
    Reference(size_t count, size_t most, double terms, Expected expected)
        : tolerance_(terms > 0 ? 0x1p-23 * (32 + 8 * std::sqrt(terms)) : 0)
    {
        size_t compared = std::min(count, most);
        for (size_t i = 0; i < compared; i++) {
            places_.push_back(place(i, compared, count));
            expected_.push_back(static_cast<double>(expected(places_.back())));
        }
    }

    template <class Value> Agreement agreement(const DeviceArray<Value> &outputs) const
    {
        enum { THREADS = 256 };
        DeviceArray<size_t> places(places_);
        DeviceArray<Value> gathered(places_.size());
        unsigned blocks = static_cast<unsigned>((places_.size() + THREADS - 1) / THREADS);
        gather<Value><<<blocks, THREADS>>>(places_.size(), places.data(), outputs.data(), gathered.data());
        CHECK_KERNELS();
        std::vector<Value> found = gathered.on_host();
        Agreement result;
        for (size_t i = 0; i < found.size(); i++)
            compare(result, i, static_cast<double>(found[i]));
        return result;
    }

  private:
    double tolerance_;
    std::vector<size_t> places_;
    std::vector<double> expected_;

    // Both ends, else a random one of the i-th part: even steps could always meet the same column.
    static size_t place(size_t i, size_t compared, size_t count)
    {
        size_t first = i * count / compared, end = (i + 1) * count / compared;
        if (i == 0 || i + 1 == compared)
            return i == 0 ? 0 : count - 1;
        return first + random_word(0, i) % (end - first);
    }

    // What is no number at all is as wrong as can be.
    void compare(Agreement &result, size_t i, double found) const
    {
        double expected = expected_[i], larger = std::fmax(std::fabs(found), std::fabs(expected));
        double error = found == expected ? 0 : std::isfinite(found) ? std::fabs(found - expected) / larger : 1;
        result.compared++;
        result.largest_relative_error = std::fmax(result.largest_relative_error, error);
        if (error <= tolerance_)
            return;
        if (result.differing++ == 0) {
            char text[120];
            snprintf(text, sizeof text, "element %zu is %.9g, not %.9g", places_[i], found, expected);
            result.difference = text;
        }
    }
};
