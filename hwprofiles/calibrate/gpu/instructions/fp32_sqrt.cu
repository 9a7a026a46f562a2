// Quantity: instructions.fp32_sqrt
// Keys: instructions.lat_fp32_sqrt, instructions.tput_fp32_sqrt
// SASS: dependent_fp32_sqrt MUFU\.RSQ >= 16
// SASS: independent_fp32_sqrt MUFU\.RSQ >= 16
// x = sqrt(x), correctly rounded as C's sqrt: a sequence from one MUFU step on. x goes to 1, so that the slow path (of
// subnormal numbers and infinities) is never taken.
// Method and its source: chains.cuh.

struct fp32_sqrt {
    using Value = float;
    enum { LINKS = 16 };
    static std::vector<float> start() { return chain_values<float>(0, 0, 2, 0); }
    static __device__ __forceinline__ void step(Link<float> &at, const Link<float> &, int)
    {
        asm volatile("sqrt.rn.f32 %0, %0;" : "+f"(at.x));
    }
};

MEASURE_CHAINS(fp32_sqrt)
