// Quantity: instructions.logic
// Keys: instructions.lat_logic, instructions.tput_logic
// SASS: dependent_logic LOP3\.LUT >= 64
// SASS: independent_logic LOP3\.LUT >= 64
// x = (x and a) xor b, one LOP3, as are and, or and xor of two operands. Operands change from link to link, so that two
// links have four and don't become one LOP3.
// Method and its source: chains.cuh.

struct logic {
    using Value = int;
    enum { LINKS = 64 };
    static std::vector<int> start() { return chain_values<int>(0x55555555, 0x33333333, 0x0f0f0f0f, 0x12345678); }
    static __device__ __forceinline__ void step(Link<int> &at, const Link<int> &with, int i)
    {
        if (i % 2 == 0)
            asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(at.x) : "r"(with.x), "r"(with.y));
        else
            asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(at.x) : "r"(at.y), "r"(with.x));
    }
};

MEASURE_CHAINS(logic)
