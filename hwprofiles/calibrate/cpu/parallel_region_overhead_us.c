/* device.parallel_region_overhead_us: an OpenMP loop with next to no work, by the clock on the wall. A sample is the
 * best of many: threads that another process holds up are not what is measured. */
static void parallel_region_overhead(const char *quantity, const struct plan *plan)
{
    enum { REGIONS = 1000, ELEMENTS = 64 };
    static double elements[ELEMENTS];
    double samples[MOST_SAMPLES];
    char x[32];
    for (int i = 0; i < plan->samples; i++) {
        double best_s = INFINITY;
        for (int region = 0; region < REGIONS; region++) {
            double start = clock_s(CLOCK_MONOTONIC);
#pragma omp parallel for schedule(static)
            for (int k = 0; k < ELEMENTS; k++)
                elements[k] = 1.0;
            __asm__ volatile("" ::"r"(elements) : "memory");
            best_s = smaller(best_s, clock_s(CLOCK_MONOTONIC) - start);
        }
        samples[i] = 1e6 * best_s;
    }
    snprintf(x, sizeof x, "\"threads\":%d", omp_get_max_threads());
    write_series(quantity, "value", x, "us", samples, plan->samples);
}
