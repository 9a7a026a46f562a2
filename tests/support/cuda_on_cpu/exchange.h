// What the threads of a warp hand to each other.
#pragma once

#include <cstdint>

namespace cuda_on_cpu {

// What a thread waits with for the others of its warp: a value of up to 8 bytes and the lane whose value it wants, or a
// vote (operation 1), or a barrier (operation 2), which alone orders what they read and write.
struct Exchange {
    int line = 0, operation = 0;
    unsigned mask = 0;
    std::uint64_t value = 0, result = 0;
    int source = 0;
};

} // namespace cuda_on_cpu
