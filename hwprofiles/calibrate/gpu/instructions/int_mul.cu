// Quantity: instructions.int_mul
// Keys: instructions.lat_int_mul, instructions.tput_int_mul
// SASS: dependent_int_mul IMAD >= 64
// SASS: independent_int_mul IMAD >= 64
// x = x * y, then y = y * x, of odd numbers.
// Method and its source: chains.cuh.

struct int_mul {
    using Value = int;
    enum { LINKS = 64 };
    static std::vector<int> start() { return chain_values<int>(0, 0, 3, 5); }
    static __device__ __forceinline__ void step(Link<int> &at, const Link<int> &, int i)
    {
        if (i % 2 == 0)
            asm volatile("mul.lo.s32 %0, %0, %1;" : "+r"(at.x) : "r"(at.y));
        else
            asm volatile("mul.lo.s32 %0, %0, %1;" : "+r"(at.y) : "r"(at.x));
    }
};

MEASURE_CHAINS(int_mul)
