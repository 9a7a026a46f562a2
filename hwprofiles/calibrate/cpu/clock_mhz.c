/* device.clock_mhz: the clock that the core has while it works, out of additions of a cycle each. */
static void clock_mhz(const char *quantity, const struct plan *plan)
{
    double samples[MOST_SAMPLES];
    for (int i = 0; i < plan->samples; i++) {
        double best_s = INFINITY;
        for (int run = 0; run < 5 * RUNS_OF_SAMPLE; run++)
            best_s = smaller(best_s, pass_s(dependent_additions, CYCLE_PASSES));
        samples[i] = 1e-6 * ADDITIONS_OF_PASS / best_s;
    }
    write_series(quantity, "value", "", "MHz", samples, plan->samples);
}
