// Quantity: instructions.fp32_add
// Keys: instructions.lat_fp32_add, instructions.tput_fp32_add
// SASS: dependent_fp32_add FADD >= 64
// SASS: independent_fp32_add FADD >= 64
// x = x + a.
// Method and its source: chains.cuh.

struct fp32_add {
    using Value = float;
    enum { LINKS = 64 };
    static std::vector<float> start() { return chain_values<float>(1e-3f, 0, 1, 0); }
    static __device__ __forceinline__ void step(Link<float> &at, const Link<float> &with, int)
    {
        asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(at.x) : "f"(with.x));
    }
};

MEASURE_CHAINS(fp32_add)
