// Quantity: instructions.int64_add
// Keys: instructions.lat_int64_add, instructions.tput_int64_add
// SASS: dependent_int64_add IADD3\.X|IMAD\.X >= 64 on sm_75 sm_80 sm_90 sm_100
// SASS: dependent_int64_add IADD\.64 >= 64 on sm_120
// SASS: independent_int64_add IADD3\.X|IMAD\.X >= 64 on sm_75 sm_80 sm_90 sm_100
// SASS: independent_int64_add IADD\.64 >= 64 on sm_120
// Fibonacci's numbers: x = x + y, then y = y + x (see int_add).
// Method and its source: chains.cuh.

struct int64_add {
    using Value = int64_t;
    enum { LINKS = 64 };
    static std::vector<int64_t> start() { return chain_values<int64_t>(0, 0, 1, 2); }
    static __device__ __forceinline__ void step(Link<int64_t> &at, const Link<int64_t> &, int i)
    {
        if (i % 2 == 0)
            asm volatile("add.s64 %0, %0, %1;" : "+l"(at.x) : "l"(at.y));
        else
            asm volatile("add.s64 %0, %0, %1;" : "+l"(at.y) : "l"(at.x));
    }
};

MEASURE_CHAINS(int64_add)
