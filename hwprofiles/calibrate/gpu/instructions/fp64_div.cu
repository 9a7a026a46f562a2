// Quantity: instructions.fp64_div
// Keys: instructions.lat_fp64_div, instructions.tput_fp64_div
// SASS: dependent_fp64_div MUFU\.RCP64H >= 8
// SASS: independent_fp64_div MUFU\.RCP64H >= 8
// x = a / x, correctly rounded as C's division: a sequence from one MUFU step on. x goes to and fro between two
// ordinary numbers, so that the slow path (of subnormal numbers and overflows) is never taken. Method and its source:
// chains.cuh.

struct fp64_div {
    using Value = double;
    enum { LINKS = 8 };
    static std::vector<double> start() { return chain_values<double>(1.5, 0, 1.1, 0); }
    static __device__ __forceinline__ void step(Link<double> &at, const Link<double> &with, int)
    {
        asm volatile("div.rn.f64 %0, %1, %0;" : "+d"(at.x) : "d"(with.x));
    }
};

MEASURE_CHAINS(fp64_div)
