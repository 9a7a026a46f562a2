/* Loops of assembler text for x86-64 with SSE2, the target of gcc -O3 without -march. A loop sets its registers itself:
 * nothing is expected to be in them from before. */

/* A constant for %xmm8 and, for what is divided, one for %xmm9; their quotients and roots are no round numbers. */
static const float ones_fp32[4] __attribute__((aligned(16))) = {1, 1, 1, 1};
static const double ones_fp64[2] __attribute__((aligned(16))) = {1, 1};
static const float divisor_fp32 = 1.37f, dividend_fp32 = 2.71f;
static const double divisor_fp64 = 1.37, dividend_fp64 = 2.71;

#define VECTOR_REGISTERS                                                                                        \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12"
#define WHOLE_REGISTERS "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"

/* `setup` once, then `body` as often as asked; operands %1 and %2 are where the constants are. */
#define X86_LOOP(name, setup, body, constant, other)                                                            \
    static void name(long passes)                                                                               \
    {                                                                                                           \
        __asm__ volatile(setup "\n.p2align 5\n1:\n" body "dec %0\njnz 1b\n"                                     \
                         : "+r"(passes)                                                                         \
                         : "m"(constant), "m"(other)                                                            \
                         : "cc", "memory", VECTOR_REGISTERS, WHOLE_REGISTERS);                                  \
    }

/* The operation into each of twelve registers, none of which waits for another. */
#define EACH_VECTOR(op)                                                                                         \
    op " %%xmm8,%%xmm0\n" op " %%xmm8,%%xmm1\n" op " %%xmm8,%%xmm2\n" op " %%xmm8,%%xmm3\n"                     \
    op " %%xmm8,%%xmm4\n" op " %%xmm8,%%xmm5\n" op " %%xmm8,%%xmm6\n" op " %%xmm8,%%xmm7\n"                     \
    op " %%xmm8,%%xmm9\n" op " %%xmm8,%%xmm10\n" op " %%xmm8,%%xmm11\n" op " %%xmm8,%%xmm12\n"
#define ALL_VECTORS_ARE_CONSTANT                                                                                \
    "movaps %1,%%xmm8\nmovaps %%xmm8,%%xmm0\nmovaps %%xmm8,%%xmm1\nmovaps %%xmm8,%%xmm2\nmovaps %%xmm8,%%xmm3\n" \
    "movaps %%xmm8,%%xmm4\nmovaps %%xmm8,%%xmm5\nmovaps %%xmm8,%%xmm6\nmovaps %%xmm8,%%xmm7\n"                  \
    "movaps %%xmm8,%%xmm9\nmovaps %%xmm8,%%xmm10\nmovaps %%xmm8,%%xmm11\nmovaps %%xmm8,%%xmm12\n"

/* The same into each of eight whole-number registers, with the operand in %rcx. */
#define EACH_WHOLE_32(op, operand)                                                                              \
    op " " operand ",%%eax\n" op " " operand ",%%edx\n" op " " operand ",%%esi\n" op " " operand ",%%edi\n"     \
    op " " operand ",%%r8d\n" op " " operand ",%%r9d\n" op " " operand ",%%r10d\n" op " " operand ",%%r11d\n"
#define EACH_WHOLE_64(op, operand)                                                                              \
    op " " operand ",%%rax\n" op " " operand ",%%rdx\n" op " " operand ",%%rsi\n" op " " operand ",%%rdi\n"     \
    op " " operand ",%%r8\n" op " " operand ",%%r9\n" op " " operand ",%%r10\n" op " " operand ",%%r11\n"
#define ALL_WHOLE_ARE_SET                                                                                       \
    "mov $3,%%ecx\nmov $7,%%eax\nmov $7,%%edx\nmov $7,%%esi\nmov $7,%%edi\n"                                    \
    "mov $7,%%r8d\nmov $7,%%r9d\nmov $7,%%r10d\nmov $7,%%r11d\n"
