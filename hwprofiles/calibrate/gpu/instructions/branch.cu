// Quantity: instructions.branch
// Keys: instructions.lat_branch, instructions.tput_branch
// SASS: dependent_branch BRA >= 64
// SASS: independent_branch BRA >= 64
// Taken branches of whole warps, each on a predicate that was ready before the branch before: over a loop that never
// runs, which a compiler can't turn into predicated instructions. Each predicate is a bit that the compiler doesn't
// know and that no branch before has told it; the one instruction that tests the bit is in the measured time. A taken
// branch and the loop's own, which never runs, are two BRA a link. Method and its source: chains.cuh.

#define TEST_BIT(P, BIT) "and.b32 t, %1, " #BIT "; setp.ne.u32 " #P ", t, 0;"
#define SKIP_LOOP(P, N)                                                                                                \
    "@" #P " bra.uni SKIP" #N ";"                                                                                      \
    "LOOP" #N ": shr.u32 %0, %0, 1; setp.ne.u32 q, %0, 0; @q bra.uni LOOP" #N "; SKIP" #N ":"

struct branch {
    using Value = UniformBits;
    enum { LINKS = 32, LINKS_AT_ONCE = 8 };
    static std::vector<UniformBits> start() { return chain_values(~0u, ~0u, ~0u, ~0u); }
    static __device__ __forceinline__ void step(Link<UniformBits> &at, const Link<UniformBits> &with, int i)
    {
        if (i % LINKS_AT_ONCE != 0)
            return;
        UniformBits bits = (i < 32 ? at.y : with.x) >> (i % 32);
        asm volatile("{ .reg .pred p0, p1, p2, p3, q; .reg .b32 t;" //
                     TEST_BIT(p0, 1) TEST_BIT(p1, 2)                //
                     TEST_BIT(p2, 4) SKIP_LOOP(p0, 0)               //
                     TEST_BIT(p3, 8) SKIP_LOOP(p1, 1)               //
                     TEST_BIT(p0, 16) SKIP_LOOP(p2, 2)              //
                     TEST_BIT(p1, 32) SKIP_LOOP(p3, 3)              //
                     TEST_BIT(p2, 64) SKIP_LOOP(p0, 4)              //
                     TEST_BIT(p3, 128) SKIP_LOOP(p1, 5)             //
                     SKIP_LOOP(p2, 6) SKIP_LOOP(p3, 7) "}"
                     : "+r"(at.x)
                     : "r"(bits));
    }
};

MEASURE_CHAINS(branch)
