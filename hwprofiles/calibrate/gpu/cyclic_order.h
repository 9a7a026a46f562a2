// In which order a pointer chase goes through its places: host code without CUDA.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// Every place once, those of a window (and the last, shorter one) in random order before any of the next window. After
// the last place comes the first: one cycle. `places` is at most 2^32 - 1, `window` at least 1.
static inline std::vector<uint32_t> cyclic_order(size_t places, size_t window)
{
    std::vector<uint32_t> order(places);
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < places; i++)
        order[i] = static_cast<uint32_t>(i);
    for (size_t first = 0; first < places; first += window)
        for (size_t i = std::min(window, places - first) - 1; i > 0; i--) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17; // Marsaglia's xorshift64
            std::swap(order[first + i], order[first + state % (i + 1)]);
        }
    return order;
}
