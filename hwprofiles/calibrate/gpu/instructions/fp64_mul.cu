// Quantity: instructions.fp64_mul
// Keys: instructions.lat_fp64_mul, instructions.tput_fp64_mul
// SASS: dependent_fp64_mul DMUL >= 64
// SASS: independent_fp64_mul DMUL >= 64
// x = x * a.
// Method and its source: chains.cuh.

struct fp64_mul {
    using Value = double;
    enum { LINKS = 64 };
    static std::vector<double> start() { return chain_values<double>(0.999, 0, 1, 0); }
    static __device__ __forceinline__ void step(Link<double> &at, const Link<double> &with, int)
    {
        asm volatile("mul.rn.f64 %0, %0, %1;" : "+d"(at.x) : "d"(with.x));
    }
};

MEASURE_CHAINS(fp64_mul)
