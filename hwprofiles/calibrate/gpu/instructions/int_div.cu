// Quantity: instructions.int_div
// Keys: instructions.lat_int_div, instructions.tput_int_div
// SASS: dependent_int_div MUFU\.RCP >= 16
// SASS: independent_int_div MUFU\.RCP >= 16
// x = a / x, signed; a sequence around one MUFU step. x goes to and fro between two numbers and is never 0.
// Method and its source: chains.cuh.

struct int_div {
    using Value = int;
    enum { LINKS = 16 };
    static std::vector<int> start() { return chain_values<int>(1 << 30, 0, 1000, 0); }
    static __device__ __forceinline__ void step(Link<int> &at, const Link<int> &with, int)
    {
        asm volatile("div.s32 %0, %1, %0;" : "+r"(at.x) : "r"(with.x));
    }
};

MEASURE_CHAINS(int_div)
