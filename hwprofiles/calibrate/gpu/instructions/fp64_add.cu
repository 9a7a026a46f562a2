// Quantity: instructions.fp64_add
// Keys: instructions.lat_fp64_add, instructions.tput_fp64_add
// SASS: dependent_fp64_add DADD >= 64
// SASS: independent_fp64_add DADD >= 64
// x = x + a.
// Method and its source: chains.cuh.

struct fp64_add {
    using Value = double;
    enum { LINKS = 64 };
    static std::vector<double> start() { return chain_values<double>(1e-3, 0, 1, 0); }
    static __device__ __forceinline__ void step(Link<double> &at, const Link<double> &with, int)
    {
        asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(at.x) : "d"(with.x));
    }
};

MEASURE_CHAINS(fp64_add)
