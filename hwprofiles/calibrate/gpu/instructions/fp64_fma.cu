// Quantity: instructions.fp64_fma
// Keys: instructions.lat_fp64_fma, instructions.tput_fp64_fma
// SASS: dependent_fp64_fma DFMA >= 64
// SASS: independent_fp64_fma DFMA >= 64
// x = x * a + b.
// Method and its source: chains.cuh.

struct fp64_fma {
    using Value = double;
    enum { LINKS = 64 };
    static std::vector<double> start() { return chain_values<double>(0.25, 0.5, 1, 0); }
    static __device__ __forceinline__ void step(Link<double> &at, const Link<double> &with, int)
    {
        asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(at.x) : "d"(with.x), "d"(with.y));
    }
};

MEASURE_CHAINS(fp64_fma)
