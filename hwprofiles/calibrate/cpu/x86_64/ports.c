/* device.loads_per_cycle, stores_per_cycle and issue_per_cycle: vectors of 16 bytes from and to one place in L1, and a
 * mixture of whole numbers, vectors and loads that no one kind of port holds up. The mixture is in loops of several
 * lengths: how instructions lie in the buffers in front of the core holds up some of them. */
static double port_line[64] __attribute__((aligned(64)));

X86_LOOP(loads, "lea %1,%%rax",
         X16("movaps (%%rax),%%xmm0\nmovaps 16(%%rax),%%xmm1\nmovaps 32(%%rax),%%xmm2\nmovaps 48(%%rax),%%xmm3\n"),
         port_line, port_line)
X86_LOOP(stores, "lea %1,%%rax",
         X16("movaps %%xmm0,(%%rax)\nmovaps %%xmm0,16(%%rax)\nmovaps %%xmm0,32(%%rax)\nmovaps %%xmm0,48(%%rax)\n"),
         port_line, port_line)
#define FOUR_OF(first, second, sum, displacement, loaded)                                                       \
    "add %%rcx,%%" first "\nadd %%rcx,%%" second "\naddps %%xmm8,%%" sum "\n"                                    \
    "movaps " displacement "(%%rdi),%%" loaded "\n"
#define SIXTEEN                                                                                                 \
    FOUR_OF("rax", "rdx", "xmm0", "", "xmm6") FOUR_OF("rsi", "r8", "xmm1", "16", "xmm7")                        \
    FOUR_OF("r9", "r10", "xmm2", "32", "xmm4") FOUR_OF("r11", "rax", "xmm3", "48", "xmm5")
#define MIXTURE(name, body) X86_LOOP(name, "lea %1,%%rdi\nmov $3,%%ecx\npxor %%xmm8,%%xmm8", body, port_line, port_line)
MIXTURE(mixture_32, SIXTEEN SIXTEEN)
MIXTURE(mixture_48, SIXTEEN SIXTEEN SIXTEEN)
MIXTURE(mixture_64, X4(SIXTEEN))

static void loads_per_cycle(const char *quantity, const struct plan *plan)
{
    write_cycles(quantity, "independent", loads, 64, 0, plan);
}

static void stores_per_cycle(const char *quantity, const struct plan *plan)
{
    write_cycles(quantity, "independent", stores, 64, 0, plan);
}

static void issue_per_cycle(const char *quantity, const struct plan *plan)
{
    write_cycles(quantity, "loop_of_32", mixture_32, 32, 0, plan);
    write_cycles(quantity, "loop_of_48", mixture_48, 48, 0, plan);
    write_cycles(quantity, "loop_of_64", mixture_64, 64, 0, plan);
}
