// Quantity: instructions.shift
// Keys: instructions.lat_shift, instructions.tput_shift
// SASS: dependent_shift SHF\.L\.U32 >= 64
// SASS: independent_shift SHF\.L\.U32 >= 64
// x = x << a, of an amount in a register.
// Method and its source: chains.cuh.

struct shift {
    using Value = int;
    enum { LINKS = 64 };
    static std::vector<int> start() { return chain_values<int>(1, 0, -1, 0); }
    static __device__ __forceinline__ void step(Link<int> &at, const Link<int> &with, int)
    {
        asm volatile("shl.b32 %0, %0, %1;" : "+r"(at.x) : "r"(with.x));
    }
};

MEASURE_CHAINS(shift)
