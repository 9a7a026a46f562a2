// Quantity: instructions.fp32_div
// Keys: instructions.lat_fp32_div, instructions.tput_fp32_div
// SASS: dependent_fp32_div MUFU\.RCP >= 16
// SASS: independent_fp32_div MUFU\.RCP >= 16
// x = a / x, correctly rounded as C's division: a sequence from one MUFU step on. x goes to and fro between two
// ordinary numbers, so that the slow path (of subnormal numbers and overflows) is never taken. Method and its source:
// chains.cuh.

struct fp32_div {
    using Value = float;
    enum { LINKS = 16 };
    static std::vector<float> start() { return chain_values<float>(1.5f, 0, 1.1f, 0); }
    static __device__ __forceinline__ void step(Link<float> &at, const Link<float> &with, int)
    {
        asm volatile("div.rn.f32 %0, %1, %0;" : "+f"(at.x) : "f"(with.x));
    }
};

MEASURE_CHAINS(fp32_div)
