// Quantity: instructions.fp32_mul
// Keys: instructions.lat_fp32_mul, instructions.tput_fp32_mul
// SASS: dependent_fp32_mul FMUL >= 64
// SASS: independent_fp32_mul FMUL >= 64
// x = x * a.
// Method and its source: chains.cuh.

struct fp32_mul {
    using Value = float;
    enum { LINKS = 64 };
    static std::vector<float> start() { return chain_values<float>(0.999f, 0, 1, 0); }
    static __device__ __forceinline__ void step(Link<float> &at, const Link<float> &with, int)
    {
        asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(at.x) : "f"(with.x));
    }
};

MEASURE_CHAINS(fp32_mul)
