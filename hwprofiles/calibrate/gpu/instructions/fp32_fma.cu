// Quantity: instructions.fp32_fma
// Keys: instructions.lat_fp32_fma, instructions.tput_fp32_fma
// SASS: dependent_fp32_fma FFMA >= 64
// SASS: independent_fp32_fma FFMA >= 64
// x = x * a + b.
// Method and its source: chains.cuh.

struct fp32_fma {
    using Value = float;
    enum { LINKS = 64 };
    static std::vector<float> start() { return chain_values<float>(0.25f, 0.5f, 1, 0); }
    static __device__ __forceinline__ void step(Link<float> &at, const Link<float> &with, int)
    {
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(at.x) : "f"(with.x), "f"(with.y));
    }
};

MEASURE_CHAINS(fp32_fma)
