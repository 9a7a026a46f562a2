/* The loop that bandwidths are measured by: a[i] = b[i] + 3 c[i]. */

static void __attribute__((noinline)) triad(long n, double *restrict a, const double *b, const double *c)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

struct triad_arrays {
    long n;
    double *a, *b, *c;
};

static struct triad_arrays triad_arrays(long n)
{
    return (struct triad_arrays){n, filled_array(8 * n), filled_array(8 * n), filled_array(8 * n)};
}

/* A run is about a millisecond where that is enough: see pointer_chase.h. */
static long triad_passes(long n) { return 1 + 5000000 / n; }
static int triad_runs(long n) { return n > 1000000 ? 3 : 10; }

/* Seconds of a triad on one thread: the best of its runs. */
static double triad_s(const struct triad_arrays *on)
{
    double best_s = INFINITY;
    long passes = triad_passes(on->n);
    for (int run = 0; run < triad_runs(on->n); run++) {
        double start = thread_s();
        for (long pass = 0; pass < passes; pass++) {
            triad(on->n, on->a, on->b, on->c);
            __asm__ volatile("" ::: "memory");
        }
        best_s = smaller(best_s, (thread_s() - start) / (double)passes);
    }
    return best_s;
}
