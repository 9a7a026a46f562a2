// Quantity: instructions.int_mad
// Keys: instructions.lat_int_mad, instructions.tput_int_mad
// SASS: dependent_int_mad IMAD >= 64
// SASS: independent_int_mad IMAD >= 64
// x = x * a + b.
// Method and its source: chains.cuh.

struct int_mad {
    using Value = int;
    enum { LINKS = 64 };
    static std::vector<int> start() { return chain_values<int>(3, 5, 1, 0); }
    static __device__ __forceinline__ void step(Link<int> &at, const Link<int> &with, int)
    {
        asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(at.x) : "r"(with.x), "r"(with.y));
    }
};

MEASURE_CHAINS(int_mad)
