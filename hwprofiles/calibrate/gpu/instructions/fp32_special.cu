// Quantity: instructions.fp32_special
// Keys: instructions.lat_fp32_special, instructions.tput_fp32_special
// SASS: dependent_fp32_special MUFU\.EX2 >= 32
// SASS: independent_fp32_special MUFU\.EX2 >= 32
// SASS: dependent_fp32_special MUFU\.LG2 >= 32
// SASS: independent_fp32_special MUFU\.LG2 >= 32
// 2^x and log2 x in turn, one operation of the special function unit each; x goes to and fro between two ordinary
// numbers. The unit runs all its functions at one rate.
// Method and its source: chains.cuh.

struct fp32_special {
    using Value = float;
    enum { LINKS = 64 };
    static std::vector<float> start() { return chain_values<float>(0, 0, 0.5f, 0); }
    static __device__ __forceinline__ void step(Link<float> &at, const Link<float> &, int i)
    {
        if (i % 2 == 0)
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(at.x));
        else
            asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(at.x));
    }
};

MEASURE_CHAINS(fp32_special)
