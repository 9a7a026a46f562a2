// Quantity: instructions.int64_div
// Keys: instructions.lat_int64_div, instructions.tput_int64_div
// SASS: dependent_int64_div CALL.* >= 8
// SASS: independent_int64_div CALL.* >= 8
// x = a / x, signed. a has more than 32 bits, so that the sequence for short numbers, which compilers put beside the
// long one, is never taken; x goes to and fro between two numbers and is never 0. Method and its source: chains.cuh.

struct int64_div {
    using Value = int64_t;
    enum { LINKS = 8 };
    static std::vector<int64_t> start()
    {
        return chain_values<int64_t>((int64_t{1} << 60) + 12345, 0, (int64_t{1} << 33) + 7, 0);
    }
    static __device__ __forceinline__ void step(Link<int64_t> &at, const Link<int64_t> &with, int)
    {
        asm volatile("div.s64 %0, %1, %0;" : "+l"(at.x) : "l"(with.x));
    }
};

MEASURE_CHAINS(int64_div)
