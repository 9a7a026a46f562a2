// Quantity: instructions.compare
// Keys: instructions.lat_compare, instructions.tput_compare
// SASS: dependent_compare V?IMNMX.* >= 64
// SASS: independent_compare V?IMNMX.* >= 64
// x = min(x, a), then x = max(x, b), of integers.
// Method and its source: chains.cuh.

struct compare {
    using Value = int;
    enum { LINKS = 64 };
    static std::vector<int> start() { return chain_values<int>(7, 9, 8, 0); }
    static __device__ __forceinline__ void step(Link<int> &at, const Link<int> &with, int i)
    {
        if (i % 2 == 0)
            asm volatile("min.s32 %0, %0, %1;" : "+r"(at.x) : "r"(with.x));
        else
            asm volatile("max.s32 %0, %0, %1;" : "+r"(at.x) : "r"(with.y));
    }
};

MEASURE_CHAINS(compare)
