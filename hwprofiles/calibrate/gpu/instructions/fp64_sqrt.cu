// Quantity: instructions.fp64_sqrt
// Keys: instructions.lat_fp64_sqrt, instructions.tput_fp64_sqrt
// SASS: dependent_fp64_sqrt MUFU\.RSQ64H >= 8
// SASS: independent_fp64_sqrt MUFU\.RSQ64H >= 8
// x = sqrt(x), correctly rounded as C's sqrt: a sequence from one MUFU step on. x goes to 1, so that the slow path (of
// subnormal numbers and infinities) is never taken.
// Method and its source: chains.cuh.

struct fp64_sqrt {
    using Value = double;
    enum { LINKS = 8 };
    static std::vector<double> start() { return chain_values<double>(0, 0, 2, 0); }
    static __device__ __forceinline__ void step(Link<double> &at, const Link<double> &, int)
    {
        asm volatile("sqrt.rn.f64 %0, %0;" : "+d"(at.x));
    }
};

MEASURE_CHAINS(fp64_sqrt)
