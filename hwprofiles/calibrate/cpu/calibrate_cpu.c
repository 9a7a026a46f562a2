/* Measures what a CPU profile says of this machine.
 *
 *   calibrate_cpu list                                            the quantities that it measures here, one a line
 *   calibrate_cpu run QUANTITY SAMPLES L1_BYTES L2_BYTES L3_BYTES   samples of one, as lines of JSON
 *
 * README.md says what each measures. A cache of 0 bytes is not known; what needs it can't be measured (exit code 1). */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "measuring.h"
#include "cycles.h"
#include "triad.h"
#include "pointer_chase.h"

#include "clock_mhz.c"
#include "bandwidth_gb_per_s.c"
#include "latency_ns.c"
#include "translation.c"
#include "misses_in_flight_per_set.c"
#ifdef _OPENMP
#include "bandwidth_all_cores_gb_per_s.c"
#include "parallel_region_overhead_us.c"
#endif
#ifdef __x86_64__
#include "loop_cycles.h"
#include "x86_64/loops.h"
#include "x86_64/ports.c"
#include "x86_64/fp.c"
#include "x86_64/whole.c"
#endif

static const struct {
    const char *name;
    void (*measure)(const char *quantity, const struct plan *plan);
    int caches; /* the outermost one whose size it needs */
} quantities[] = {
    {"device.clock_mhz", clock_mhz, 0},
#ifdef __x86_64__
    {"device.issue_per_cycle", issue_per_cycle, 0},
    {"device.loads_per_cycle", loads_per_cycle, 0},
    {"device.stores_per_cycle", stores_per_cycle, 0},
#endif
    {"device.misses_in_flight_per_set", misses_in_flight_per_set, 0},
#ifdef _OPENMP
    {"device.parallel_region_overhead_us", parallel_region_overhead, 0},
#endif
    {"l1.bandwidth_gb_per_s", l1_bandwidth, 1},
    {"l1.latency_ns", l1_latency, 1},
    {"l2.bandwidth_gb_per_s", l2_bandwidth, 2},
    {"l2.latency_ns", l2_latency, 2},
    {"l3.bandwidth_gb_per_s", l3_bandwidth, 3},
    {"l3.latency_ns", l3_latency, 3},
    {"dram.bandwidth_one_core_gb_per_s", dram_bandwidth_one_core, 3},
#ifdef _OPENMP
    {"dram.bandwidth_all_cores_gb_per_s", dram_bandwidth_all_cores, 3},
#endif
    {"dram.latency_ns", dram_latency, 3},
    {"translation", translation, 3},
#ifdef __x86_64__ /* of another architecture there are no loops yet: the profile keeps what it extends */
    {"instructions.fp32_add", fp32_add, 0},
    {"instructions.fp32_mul", fp32_mul, 0},
    {"instructions.fp32_div", fp32_div, 0},
    {"instructions.fp32_sqrt", fp32_sqrt, 0},
    {"instructions.fp64_add", fp64_add, 0},
    {"instructions.fp64_mul", fp64_mul, 0},
    {"instructions.fp64_div", fp64_div, 0},
    {"instructions.fp64_sqrt", fp64_sqrt, 0},
    {"instructions.int_add", int_add, 0},
    {"instructions.int_mul", int_mul, 0},
    {"instructions.int_div", int_div, 0},
    {"instructions.int64_add", int64_add, 0},
    {"instructions.int64_mul", int64_mul, 0},
    {"instructions.int64_div", int64_div, 0},
    {"instructions.logic", logic, 0},
    {"instructions.shift", shift, 0},
    {"instructions.convert", convert, 0},
#endif
};

enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static int run(char **arguments)
{
    struct plan plan = {atoi(arguments[1]), atol(arguments[2]), atol(arguments[3]), atol(arguments[4])};
    const long caches[] = {plan.l1_bytes, plan.l2_bytes, plan.l3_bytes};
    if (plan.samples < 1 || plan.samples > MOST_SAMPLES)
        fail("the number of samples is not one of 1 to 64");
    for (int i = 0; i < QUANTITIES; i++) {
        if (strcmp(quantities[i].name, arguments[0]) != 0)
            continue;
        for (int level = 0; level < quantities[i].caches; level++)
            if (caches[level] <= 0)
                fail("the size of a cache is not known");
        require_fine_clock();
        quantities[i].measure(quantities[i].name, &plan);
        printf("{\"quantity\":\"%s\",\"done\":true}\n", quantities[i].name);
        return 0;
    }
    fprintf(stderr, "%s is not measured here; `calibrate_cpu list` says what is\n", arguments[0]);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (int i = 0; i < QUANTITIES; i++)
            puts(quantities[i].name);
        return 0;
    }
    if (argc == 7 && strcmp(argv[1], "run") == 0)
        return run(argv + 2);
    fprintf(stderr, "usage: calibrate_cpu list | run QUANTITY SAMPLES L1_BYTES L2_BYTES L3_BYTES\n");
    return 2;
}
