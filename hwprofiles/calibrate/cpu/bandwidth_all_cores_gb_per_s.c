/* dram.bandwidth_all_cores_gb_per_s: what all threads stream together. Their CPU time over their number is the time, so
 * that what other processes take of the cores does not count; waiting threads must sleep (OMP_WAIT_POLICY=passive). */
static double triad_all_cores_s(const struct triad_arrays *on)
{
    double best_s = INFINITY;
    long passes = triad_passes(on->n);
    for (int run = 0; run < triad_runs(on->n); run++) {
        double start = clock_s(CLOCK_PROCESS_CPUTIME_ID);
        for (long pass = 0; pass < passes; pass++) {
            double *restrict a = on->a;
            const double *b = on->b, *c = on->c;
#pragma omp parallel for schedule(static)
            for (long i = 0; i < on->n; i++)
                a[i] = b[i] + 3.0 * c[i];
        }
        best_s = smaller(best_s, (clock_s(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)passes);
    }
    return best_s / omp_get_max_threads();
}

static void dram_bandwidth_all_cores(const char *quantity, const struct plan *plan)
{
    struct triad_arrays arrays = triad_arrays(memory_elements(plan));
    double samples[MOST_SAMPLES];
    char x[32];
    triad_all_cores_s(&arrays);
    for (int i = 0; i < plan->samples; i++)
        samples[i] = 1e-9 * BYTES_OF_ELEMENT * (double)arrays.n / triad_all_cores_s(&arrays);
    snprintf(x, sizeof x, "\"threads\":%d", omp_get_max_threads());
    write_series(quantity, "value", x, "GB/s", samples, plan->samples);
}
