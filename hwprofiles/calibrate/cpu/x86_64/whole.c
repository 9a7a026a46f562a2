/* instructions.lat_* and per_cycle_* of whole numbers and of logic. Where SSE2 has the operation for vectors too,
 * `independent_packed` are those. That an addition takes a cycle is not measured: it is what a cycle is measured by. */

#define PACKED(name, op)                                                                                        \
    X86_LOOP(name##_packed, ALL_VECTORS_ARE_CONSTANT, X4(EACH_VECTOR(op)), ones_fp32, ones_fp32)
#define WHOLE(name, each, op, operand)                                                                          \
    X86_LOOP(name##_independent, ALL_WHOLE_ARE_SET, X4(each(op, operand)), ones_fp32, ones_fp32)
#define CHAIN(name, text) X86_LOOP(name##_dependent, ALL_WHOLE_ARE_SET, X16(text "\n"), ones_fp32, ones_fp32)

PACKED(int_add, "paddd")
PACKED(int64_add, "paddq")
PACKED(logic, "pand")
WHOLE(int_add, EACH_WHOLE_32, "addl", "%%ecx")
WHOLE(int64_add, EACH_WHOLE_64, "addq", "%%rcx")
WHOLE(logic, EACH_WHOLE_32, "xorl", "%%ecx")
WHOLE(shift, EACH_WHOLE_32, "roll", "$5")
WHOLE(int_mul, EACH_WHOLE_32, "imull", "%%ecx")
WHOLE(int64_mul, EACH_WHOLE_64, "imulq", "%%rcx")
CHAIN(logic, "xorl %%ecx,%%eax")
CHAIN(shift, "roll $5,%%eax")
CHAIN(int_mul, "imull %%ecx,%%eax")
CHAIN(int64_mul, "imulq %%rcx,%%rax")
X86_LOOP(shift_packed, ALL_VECTORS_ARE_CONSTANT,
         X4("pslld $1,%%xmm0\npslld $1,%%xmm1\npslld $1,%%xmm2\npslld $1,%%xmm3\n"
            "pslld $1,%%xmm4\npslld $1,%%xmm5\npslld $1,%%xmm6\npslld $1,%%xmm7\n"),
         ones_fp32, ones_fp32)

/* Four products of 32 bits each, as gcc makes them of SSE2, whose only multiplication makes two of 64 bits. */
#define FOUR_PRODUCTS(a, b)                                                                                     \
    "movdqa %%xmm8," a "\nmovdqa %%xmm8," b "\npmuludq %%xmm9," a "\npsrlq $32," b "\npmuludq %%xmm10," b "\n"   \
    "pshufd $8," a "," a "\npshufd $8," b "," b "\npunpckldq " b "," a "\n"
X86_LOOP(int_mul_packed, ALL_VECTORS_ARE_CONSTANT,
         FOUR_PRODUCTS("%%xmm0", "%%xmm1") FOUR_PRODUCTS("%%xmm2", "%%xmm3")
         FOUR_PRODUCTS("%%xmm4", "%%xmm5") FOUR_PRODUCTS("%%xmm6", "%%xmm7"), ones_fp32, ones_fp32)

static void int_add(const char *quantity, const struct plan *plan)
{
    write_cycles(quantity, "independent", int_add_independent, 32, 0, plan);
    write_cycles(quantity, "independent_packed", int_add_packed, 48, 0, plan);
}

static void int64_add(const char *quantity, const struct plan *plan)
{
    write_cycles(quantity, "independent", int64_add_independent, 32, 0, plan);
    write_cycles(quantity, "independent_packed", int64_add_packed, 48, 0, plan);
}

static void logic(const char *quantity, const struct plan *plan)
{
    write_cycles(quantity, "dependent", logic_dependent, 16, 0, plan);
    write_cycles(quantity, "independent", logic_independent, 32, 0, plan);
    write_cycles(quantity, "independent_packed", logic_packed, 48, 0, plan);
}

static void shift(const char *quantity, const struct plan *plan)
{
    write_cycles(quantity, "dependent", shift_dependent, 16, 0, plan);
    write_cycles(quantity, "independent", shift_independent, 32, 0, plan);
    write_cycles(quantity, "independent_packed", shift_packed, 32, 0, plan);
}

static void int_mul(const char *quantity, const struct plan *plan)
{
    write_cycles(quantity, "dependent", int_mul_dependent, 16, 0, plan);
    write_cycles(quantity, "independent", int_mul_independent, 32, 0, plan);
    write_cycles(quantity, "independent_packed", int_mul_packed, 4, 0, plan);
}

static void int64_mul(const char *quantity, const struct plan *plan)
{
    write_cycles(quantity, "dependent", int64_mul_dependent, 16, 0, plan);
    write_cycles(quantity, "independent", int64_mul_independent, 32, 0, plan);
}

/* Divisions of about a million by about a thousand, as those of an index are. Dependent ones: the quotient is made zero
 * and the dividend is added to it, in three cycles with the sign's; these are taken off. */
#define DIVIDE_WHOLE(name, suffix, sign, ax, bx, cx, move)                                                      \
    X86_LOOP(name##_dependent, "mov $1000003,%%esi\nmov $1009,%%ecx\nmov $1000003,%%eax\n",                     \
             X4(sign "\nidiv" suffix " " cx "\nand" suffix " $0," ax "\nadd" suffix " " bx "," ax "\n"),        \
             ones_fp32, ones_fp32)                                                                              \
    X86_LOOP(name##_independent, "mov $1000003,%%esi\nmov $1009,%%ecx\n",                                       \
             X4(move " " bx "," ax "\n" sign "\nidiv" suffix " " cx "\n"), ones_fp32, ones_fp32)                \
    static void name(const char *quantity, const struct plan *plan)                                             \
    {                                                                                                           \
        write_cycles(quantity, "dependent", name##_dependent, 4, 4 * 3, plan);                                  \
        write_cycles(quantity, "independent", name##_independent, 4, 0, plan);                                  \
    }
DIVIDE_WHOLE(int_div, "l", "cltd", "%%eax", "%%esi", "%%ecx", "movl")
DIVIDE_WHOLE(int64_div, "q", "cqto", "%%rax", "%%rsi", "%%rcx", "movq")
