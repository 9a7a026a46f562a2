/* instructions.lat_* and per_cycle_* of fp32 and fp64: each operation waiting for itself (`dependent`) and free of
 * others (`independent`: additions and multiplications as vectors, which run as often per cycle as scalars). */

#define ADD_OR_MULTIPLY(name, scalar, packed, ones)                                                             \
    X86_LOOP(name##_dependent, ALL_VECTORS_ARE_CONSTANT, X16(scalar " %%xmm8,%%xmm0\n"), ones, ones)            \
    X86_LOOP(name##_independent, ALL_VECTORS_ARE_CONSTANT, X4(EACH_VECTOR(packed)), ones, ones)                 \
    static void name(const char *quantity, const struct plan *plan)                                             \
    {                                                                                                           \
        write_cycles(quantity, "dependent", name##_dependent, 16, 0, plan);                                     \
        write_cycles(quantity, "independent", name##_independent, 48, 0, plan);                                 \
    }
ADD_OR_MULTIPLY(fp32_add, "addss", "addps", ones_fp32)
ADD_OR_MULTIPLY(fp32_mul, "mulss", "mulps", ones_fp32)
ADD_OR_MULTIPLY(fp64_add, "addsd", "addpd", ones_fp64)
ADD_OR_MULTIPLY(fp64_mul, "mulsd", "mulpd", ones_fp64)

/* Dependent divisions: x is c / x, and again. Copies of registers take no time beside them. */
#define ONE_OF(op, into) "movaps %%xmm9," into "\n" op " %%xmm8," into "\n"
#define DIVIDE(name, op, move, divisor, dividend)                                                               \
    X86_LOOP(name##_dependent, move " %1,%%xmm0\n" move " %2,%%xmm9\n",                                         \
             X4("movaps %%xmm9,%%xmm1\n" op " %%xmm0,%%xmm1\nmovaps %%xmm9,%%xmm0\n" op " %%xmm1,%%xmm0\n"),    \
             divisor, dividend)                                                                                 \
    X86_LOOP(name##_independent, move " %1,%%xmm8\n" move " %2,%%xmm9\n",                                       \
             ONE_OF(op, "%%xmm0") ONE_OF(op, "%%xmm1") ONE_OF(op, "%%xmm2")                   \
             ONE_OF(op, "%%xmm3") ONE_OF(op, "%%xmm4") ONE_OF(op, "%%xmm5")                   \
             ONE_OF(op, "%%xmm6") ONE_OF(op, "%%xmm7"), divisor, dividend)                          \
    static void name(const char *quantity, const struct plan *plan)                                             \
    {                                                                                                           \
        write_cycles(quantity, "dependent", name##_dependent, 8, 0, plan);                                      \
        write_cycles(quantity, "independent", name##_independent, 8, 0, plan);                                  \
    }
DIVIDE(fp32_div, "divss", "movss", divisor_fp32, dividend_fp32)
DIVIDE(fp64_div, "divsd", "movsd", divisor_fp64, dividend_fp64)

/* Dependent roots: x is sqrt(x) c, which stays near c squared; the multiplications' time is taken off. */
#define ROOT(name, op, move, multiply, ones, factor)                                                            \
    X86_LOOP(name##_multiplied, move " %1,%%xmm0\n" move " %1,%%xmm8\n",                                        \
             X4(op " %%xmm0,%%xmm0\n" multiply " %%xmm8,%%xmm0\n"), factor, factor)                             \
    X86_LOOP(name##_independent, move " %1,%%xmm8\n", EACH_VECTOR(op), factor, factor)                          \
    X86_LOOP(name##_product, ALL_VECTORS_ARE_CONSTANT, X4(multiply " %%xmm8,%%xmm0\n"), ones, ones)             \
    static void name(const char *quantity, const struct plan *plan)                                             \
    {                                                                                                           \
        double products = pass_cycles(name##_product, CYCLE_PASSES);                                            \
        write_cycles(quantity, "dependent", name##_multiplied, 4, products, plan);                              \
        write_cycles(quantity, "independent", name##_independent, 12, 0, plan);                                 \
    }
ROOT(fp32_sqrt, "sqrtss", "movss", "mulss", ones_fp32, divisor_fp32)
ROOT(fp64_sqrt, "sqrtsd", "movsd", "mulsd", ones_fp64, divisor_fp64)

X86_LOOP(convert_dependent, ALL_VECTORS_ARE_CONSTANT, X16("cvtdq2ps %%xmm0,%%xmm0\n"), ones_fp32, ones_fp32)
X86_LOOP(convert_independent, ALL_VECTORS_ARE_CONSTANT, X4(EACH_VECTOR("cvtdq2ps")), ones_fp32, ones_fp32)
static void convert(const char *quantity, const struct plan *plan)
{
    write_cycles(quantity, "dependent", convert_dependent, 16, 0, plan);
    write_cycles(quantity, "independent", convert_independent, 48, 0, plan);
}
