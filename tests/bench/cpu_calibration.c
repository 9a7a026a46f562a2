/* Measures what the CPU model needs to know of this machine (x86-64, gcc) and prints `key value` lines.
 * Times are the best of several short runs: the machine may be shared. */
#define _POSIX_C_SOURCE 199309L
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double clock_s(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* One thread's own time: what other processes take of the core does not count. */
static double now_s(void) { return clock_s(CLOCK_THREAD_CPUTIME_ID); }

/* Seconds of one pass of `code` (assembler text) in a loop of `loops` passes, best of 50. */
#define BEST_S(result, loops, code, ...)                                       \
    do {                                                                       \
        result = 1e30;                                                         \
        for (int run = 0; run < 50; run++) {                                   \
            double start = now_s();                                            \
            for (long pass = 0; pass < (loops); pass++) __asm__ volatile(code __VA_ARGS__); \
            double seconds = (now_s() - start) / (loops);                      \
            if (seconds < result) result = seconds;                            \
        }                                                                      \
    } while (0)
#define X4(text) text text text text
#define X16(text) X4(X4(text))
#define LANES(op) op " %%xmm8,%%xmm0\n" op " %%xmm8,%%xmm1\n" op " %%xmm8,%%xmm2\n" op " %%xmm8,%%xmm3\n" \
                  op " %%xmm8,%%xmm4\n" op " %%xmm8,%%xmm5\n" op " %%xmm8,%%xmm6\n" op " %%xmm8,%%xmm7\n"
#define XMM ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8"

static double cycle_s;

#define CHAIN(key, op)                                                         \
    do {                                                                       \
        double s;                                                              \
        BEST_S(s, 20000, X16(op " %%xmm8,%%xmm0\n"), XMM);                    \
        printf("instructions.lat_" key " %.2f\n", s / 16 / cycle_s);           \
    } while (0)
#define RATE(key, op)                                                          \
    do {                                                                       \
        double s;                                                              \
        BEST_S(s, 20000, X4(LANES(op)), XMM);                                 \
        printf("instructions.per_cycle_" key " %.3f\n", 32 * cycle_s / s);     \
    } while (0)

static void __attribute__((noinline)) triad(long n, double *restrict a, const double *b, const double *c) {
    for (long i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];
}

/* Best seconds of one triad over n elements, on all threads when `threads` is above 1: their CPU time over their number
 * (run it with OMP_WAIT_POLICY=passive), so that what other processes take of the cores does not count. */
static double triad_s(long n, double *a, double *b, double *c, int threads) {
    long passes = 1 + 40000000 / n;
    double best = 1e30;
    if (n > 1000000) passes = 2;
    for (int run = 0; run < 7; run++) {
        clockid_t clock = threads > 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID;
        double start = clock_s(clock);
        for (long pass = 0; pass < passes; pass++) {
            if (threads > 1) {
#pragma omp parallel for schedule(static)
                for (long i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];
            } else {
                triad(n, a, b, c);
            }
            __asm__ volatile("" ::: "memory");
        }
        double seconds = (clock_s(clock) - start) / passes / threads;
        if (seconds < best) best = seconds;
    }
    return best;
}

/* Nanoseconds of a load whose address the load before gave: a cycle in random order through `lines` places, `stride` bytes
 * apart, that goes through `window` of them before it enters the next. `rate` gets those of independent loads. */
static double chase_ns(char *base, long lines, long stride, long window, double *rate) {
    uint64_t state = 88172645463325252u, at = 0, sum = 0;
    uint64_t *order = calloc(lines + 1, sizeof *order);
    if (!order) exit(1);
    for (long i = 0; i < lines; i++) order[i] = i;
    for (long first = 0; first < lines; first += window)
        for (long i = (first + window < lines ? window : lines - first) - 1; i > 0; i--) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            long j = first + (long)(state % (uint64_t)(i + 1));
            uint64_t keep = order[first + i];
            order[first + i] = order[j], order[j] = keep;
        }
    order[lines] = order[0];
    for (long i = 0; i < lines; i++) *(uint64_t *)(base + order[i] * stride) = order[i + 1] * stride;
    long passes = 1 + 1000000 / lines;
    double chased = 1e30, independent = 1e30;
    for (int run = 0; run < 5; run++) {
        double start = now_s();
        for (long i = 0; i < passes * lines; i++) at = *(uint64_t *)(base + at);
        double seconds = (now_s() - start) / (passes * lines);
        if (seconds < chased) chased = seconds;
        start = now_s();
        for (long pass = 0; pass < passes; pass++)
            for (long i = 0; i < lines; i++) sum += *(uint64_t *)(base + order[i] * stride);
        seconds = (now_s() - start) / (passes * lines);
        if (seconds < independent) independent = seconds;
    }
    free(order);
    *rate = 1e9 * independent;
    return 1e9 * chased + (at + sum == 1);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    long sizes[3] = {atol(argv[1]), atol(argv[2]), atol(argv[3])}; /* bytes of L1, L2, L3 */
    double s;
    BEST_S(s, 100000, X16("add $1,%%rax\n"), ::: "rax");
    cycle_s = s / 16;
    printf("device.clock_mhz %.0f\n", 1e-6 / cycle_s);
    BEST_S(s, 30000, X16("add $1,%%rax\nadd $1,%%rcx\nadd $1,%%rdx\nadd $1,%%rsi\n"), ::: "rax", "rcx", "rdx", "rsi");
    printf("instructions.per_cycle_int_add %.2f\n", 64 * cycle_s / s);
    printf("instructions.per_cycle_int64_add %.2f\n", 64 * cycle_s / s);

    static double line[64] __attribute__((aligned(64)));
    BEST_S(s, 30000, X4("movaps (%0),%%xmm0\nmovaps 16(%0),%%xmm1\nmovaps 32(%0),%%xmm2\nmovaps 48(%0),%%xmm3\n"),
           :: "r"(line) : "xmm0", "xmm1", "xmm2", "xmm3");
    printf("device.loads_per_cycle %.2f\n", 16 * cycle_s / s);
    BEST_S(s, 30000, X4("movaps %%xmm0,(%0)\nmovaps %%xmm0,16(%0)\nmovaps %%xmm0,32(%0)\nmovaps %%xmm0,48(%0)\n"),
           :: "r"(line) : "memory");
    printf("device.stores_per_cycle %.2f\n", 16 * cycle_s / s);
    BEST_S(s, 30000,
           X4("add $1,%%rax\nadd $1,%%rcx\naddps %%xmm8,%%xmm0\nmovaps (%0),%%xmm6\n"
              "add $1,%%rdx\nadd $1,%%rsi\naddps %%xmm8,%%xmm1\nmovaps 16(%0),%%xmm7\n"
              "add $1,%%r8\nadd $1,%%r9\naddps %%xmm8,%%xmm2\nmovaps 32(%0),%%xmm4\n"
              "add $1,%%r10\nadd $1,%%r11\naddps %%xmm8,%%xmm3\nmovaps 48(%0),%%xmm5\n"),
           :: "r"(line) : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3",
           "xmm4", "xmm5", "xmm6", "xmm7", "xmm8");
    printf("device.issue_per_cycle %.2f\n", 64 * cycle_s / s);

    __asm__ volatile("pcmpeqd %%xmm8,%%xmm8\npsrlq $54,%%xmm8\npsllq $52,%%xmm8\n" ::: "xmm8"); /* 1.0 */
    CHAIN("fp32_add", "addss");
    CHAIN("fp32_mul", "mulss");
    CHAIN("fp32_div", "divss");
    CHAIN("fp64_add", "addsd");
    CHAIN("fp64_mul", "mulsd");
    CHAIN("fp64_div", "divsd");
    RATE("fp32_add", "addps");
    RATE("fp32_mul", "mulps");
    RATE("fp32_div", "divss");
    RATE("fp32_sqrt", "sqrtss");
    RATE("fp64_add", "addpd");
    RATE("fp64_mul", "mulpd");
    RATE("fp64_div", "divsd");
    RATE("fp64_sqrt", "sqrtsd");
    RATE("convert", "cvtdq2ps");

    long memory_elements = 3 * sizes[2] / 8;
    double *a = aligned_alloc(4096, memory_elements * 8), *b = aligned_alloc(4096, memory_elements * 8),
           *c = aligned_alloc(4096, memory_elements * 8);
    if (!a || !b || !c) return 1;
    for (long i = 0; i < memory_elements; i++) a[i] = b[i] = c[i] = 1.0;
    /* L1: 24 bytes an iteration pass the ports; behind it 32 move (the store's line is fetched and written back). */
    long n = sizes[0] / 48;
    printf("l1.bandwidth_gb_per_s %.2f\n", 24e-9 * n / triad_s(n, a, b, c, 1));
    n = sizes[1] / 48;
    printf("l2.bandwidth_gb_per_s %.2f\n", 32e-9 * n / triad_s(n, a, b, c, 1));
    n = sizes[2] / 48;
    printf("l3.bandwidth_gb_per_s %.2f\n", 32e-9 * n / triad_s(n, a, b, c, 1));
    n = memory_elements;
    printf("dram.bandwidth_one_core_gb_per_s %.2f\n", 32e-9 * n / triad_s(n, a, b, c, 1));
    printf("dram.bandwidth_all_cores_gb_per_s %.2f\n", 32e-9 * n / triad_s(n, a, b, c, omp_get_max_threads()));

    /* Latency of each level. In memory: windows of 512 pages, whose translations stay. */
    double rate;
    for (int level = 0; level < 2; level++)
        printf("l%d.latency_ns %.2f\n", level + 1, chase_ns((char *)a, sizes[level] / 128, 64, sizes[level], &rate));
    printf("l3.latency_ns %.2f\n", chase_ns((char *)a, sizes[1] / 16, 64, sizes[1], &rate));
    long lines = memory_elements / 8;
    double latency = chase_ns((char *)b, lines, 64, 512 * 4096 / 64, &rate);
    printf("dram.latency_ns %.1f\n", latency);
    printf("dram.misses_in_flight_per_core %.1f\n", latency / rate);
    long pages = memory_elements * 8 / 4160; /* a line of each page, spread over the sets: the lines stay in L3 */
    double held_rate;
    latency = chase_ns((char *)b, pages, 64, pages, &held_rate);
    double walk = chase_ns((char *)b, pages, 4160, pages, &rate) - latency;
    if (walk > 1.0) {
        printf("translation.page_walk_ns %.1f\n", walk);
        printf("translation.page_walks_in_flight %.1f\n", walk > rate ? walk / rate : 1.0);
    }
    long held = 512; /* translations: as long as a quarter of the walks is not there */
    for (double most = held_rate + (rate - held_rate) / 4; 2 * held <= pages; held *= 2) {
        chase_ns((char *)b, 2 * held, 4160, 2 * held, &rate);
        if (rate > most) break;
    }
    printf("translation.entries %ld\n", held);
    /* 64 lines of one set of L1 (pages apart), which L2 holds. */
    double conflict = chase_ns((char *)c, 64, 4096, 64, &rate);
    printf("device.misses_in_flight_per_set %.1f\n", conflict / rate);

    double best = 1e30;
    for (int run = 0; run < 2000; run++) {
        double start = clock_s(CLOCK_MONOTONIC);
#pragma omp parallel for schedule(static)
        for (long i = 0; i < 64; i++) a[i] = 1.0;
        double seconds = clock_s(CLOCK_MONOTONIC) - start;
        if (seconds < best) best = seconds;
    }
    printf("device.parallel_region_overhead_us %.3f\n", 1e6 * best);
    return 0;
}
