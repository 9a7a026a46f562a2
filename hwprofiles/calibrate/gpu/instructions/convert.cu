// Quantity: instructions.convert
// Keys: instructions.lat_convert, instructions.tput_convert
// SASS: dependent_convert F2I.* >= 32
// SASS: dependent_convert I2F.* >= 32
// SASS: independent_convert F2I.* >= 32
// SASS: independent_convert I2F.* >= 32
// SASS: independent_int_to_float I2F.* >= 64
// SASS: independent_float_to_int F2I.* >= 64
// int to float and float to int in turn; the other series take one direction, of the bits that the link before left.
// Method and its source: chains.cuh.

static __device__ __forceinline__ void convert_to_float(int &x)
{
    asm volatile("{ .reg .f32 f; cvt.rn.f32.s32 f, %0; mov.b32 %0, f; }" : "+r"(x));
}

static __device__ __forceinline__ void convert_to_int(int &x)
{
    asm volatile("{ .reg .f32 f; mov.b32 f, %0; cvt.rzi.s32.f32 %0, f; }" : "+r"(x));
}

struct ConversionValues {
    using Value = int;
    enum { LINKS = 64 };
    static std::vector<int> start() { return chain_values<int>(0, 0, 12345, 0); }
};

struct convert : ConversionValues {
    static __device__ __forceinline__ void step(Link<int> &at, const Link<int> &, int i)
    {
        if (i % 2 == 0)
            convert_to_float(at.x);
        else
            convert_to_int(at.x);
    }
};

struct int_to_float : ConversionValues {
    static __device__ __forceinline__ void step(Link<int> &at, const Link<int> &, int) { convert_to_float(at.x); }
};

struct float_to_int : ConversionValues {
    static __device__ __forceinline__ void step(Link<int> &at, const Link<int> &, int) { convert_to_int(at.x); }
};

CHAIN_SERIES(convert)
CHAIN_KERNELS(int_to_float)
CHAIN_KERNELS(float_to_int)

static void instructions_convert(const Plan &plan)
{
    write_convert(plan);
    write_independent(plan, "independent_int_to_float", convert::start(), MOST_CHAINS, convert::LINKS,
                      independent_int_to_float<MOST_CHAINS>);
    write_independent(plan, "independent_float_to_int", convert::start(), MOST_CHAINS, convert::LINKS,
                      independent_float_to_int<MOST_CHAINS>);
}
