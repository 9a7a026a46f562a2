// Quantity: instructions.int64_mul
// Keys: instructions.lat_int64_mul, instructions.tput_int64_mul
// SASS: dependent_int64_mul IMAD\.WIDE\.U32 >= 32
// SASS: independent_int64_mul IMAD\.WIDE\.U32 >= 32
// x = x * y, then y = y * x, of odd numbers; low 64 bits.
// Method and its source: chains.cuh.

struct int64_mul {
    using Value = int64_t;
    enum { LINKS = 32 };
    static std::vector<int64_t> start() { return chain_values<int64_t>(0, 0, 3, 5); }
    static __device__ __forceinline__ void step(Link<int64_t> &at, const Link<int64_t> &, int i)
    {
        if (i % 2 == 0)
            asm volatile("mul.lo.s64 %0, %0, %1;" : "+l"(at.x) : "l"(at.y));
        else
            asm volatile("mul.lo.s64 %0, %0, %1;" : "+l"(at.y) : "l"(at.x));
    }
};

MEASURE_CHAINS(int64_mul)
