/* The cycle: one of many integer additions that wait for each other takes one on every core there is. */

typedef void timed_loop(long passes);

enum { ADDITIONS_OF_PASS = 16, CYCLE_PASSES = 20000, RUNS_OF_SAMPLE = 10 };

#define X4(text) text text text text
#define X16(text) X4(X4(text))

/* The step is in a register: some cores take additions of a constant together, several in a cycle. */
static void dependent_additions(long passes)
{
    unsigned long sum = 0, step = 3;
    __asm__ volatile("" : "+r"(step));
    for (long pass = 0; pass < passes; pass++) {
        X16(sum += step; __asm__ volatile("" : "+r"(sum));)
    }
}

/* Seconds of one pass. */
static double pass_s(timed_loop *loop, long passes)
{
    double start = thread_s();
    loop(passes);
    return (thread_s() - start) / (double)passes;
}
