/* Loops timed in cycles of the core. Each sample measures the cycle anew beside the loop: clocks change. */

/* Cycles of one pass of a loop: its best time of a few short runs over the cycle's best. */
static double pass_cycles(timed_loop *loop, long passes)
{
    double best_s = INFINITY, additions_s = INFINITY;
    for (int run = 0; run < RUNS_OF_SAMPLE; run++) {
        additions_s = smaller(additions_s, pass_s(dependent_additions, CYCLE_PASSES));
        best_s = smaller(best_s, pass_s(loop, passes));
    }
    return best_s / (additions_s / ADDITIONS_OF_PASS);
}

/* Write how many cycles each of the `count` instructions of a pass takes. `other_cycles` of a pass are not theirs. */
static void write_cycles(const char *quantity, const char *series, timed_loop *loop, int count, double other_cycles,
                         const struct plan *plan)
{
    enum { ABOUT_CYCLES = 400000 };
    double samples[MOST_SAMPLES];
    long passes = 1000;
    passes = 1 + (long)(ABOUT_CYCLES / pass_cycles(loop, passes));
    for (int i = 0; i < plan->samples; i++)
        samples[i] = (pass_cycles(loop, passes) - other_cycles) / count;
    write_series(quantity, series, "", "cycles", samples, plan->samples);
}
