// Quantity: instructions.fp64_special
// Keys: instructions.lat_fp64_special, instructions.tput_fp64_special
// SASS: dependent_fp64_special DFMA >= 64
// SASS: independent_fp64_special DFMA >= 64
// A step of a software sequence, Horner's: x = x * a + b. The same instruction as fp64_fma.
// Method and its source: chains.cuh.

struct fp64_special {
    using Value = double;
    enum { LINKS = 64 };
    static std::vector<double> start() { return chain_values<double>(0.25, 0.5, 1, 0); }
    static __device__ __forceinline__ void step(Link<double> &at, const Link<double> &with, int)
    {
        asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(at.x) : "d"(with.x), "d"(with.y));
    }
};

MEASURE_CHAINS(fp64_special)
