// Quantity: instructions.int_add
// Keys: instructions.lat_int_add, instructions.tput_int_add
// SASS: dependent_int_add IADD3|IMAD\.IADD|VIADD|IADD >= 64
// SASS: independent_int_add IADD3|IMAD\.IADD|VIADD|IADD >= 64
// Fibonacci's numbers: x = x + y, then y = y + x. Both are needed, so that no two additions become one of three
// operands. Up to compute capability 10.0 the compiler makes multiply-adds (IMAD.IADD) of half of them, to use two
// pipelines, as it does with C's additions. Method and its source: chains.cuh.

struct int_add {
    using Value = int;
    enum { LINKS = 64 };
    static std::vector<int> start() { return chain_values<int>(0, 0, 1, 2); }
    static __device__ __forceinline__ void step(Link<int> &at, const Link<int> &, int i)
    {
        if (i % 2 == 0)
            asm volatile("add.s32 %0, %0, %1;" : "+r"(at.x) : "r"(at.y));
        else
            asm volatile("add.s32 %0, %0, %1;" : "+r"(at.y) : "r"(at.x));
    }
};

MEASURE_CHAINS(int_add)
