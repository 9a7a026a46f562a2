/* Clocks, what a measurement is told, and the lines that it writes. */

/* How many samples, and what the caches hold in bytes; 0 is a cache that is not known. */
struct plan {
    int samples;
    long l1_bytes, l2_bytes, l3_bytes;
};

enum { MOST_SAMPLES = 64 };

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One thread's own time: what other processes take of the core does not count. */
static double thread_s(void) { return clock_s(CLOCK_THREAD_CPUTIME_ID); }

static double smaller(double a, double b) { return b < a ? b : a; }

/* Xorshift: the same in every run. */
static uint64_t random_bits(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    exit(1);
}

/* Some systems count CPU time in ticks of the scheduler, longer than the loops that are timed. */
static void require_fine_clock(void)
{
    const double coarsest_s = 2e-5;
    double start = thread_s(), tick_s = INFINITY;
    for (int tick = 0; tick < 10; tick++) {
        double now = start;
        while (now == start)
            now = thread_s();
        tick_s = smaller(tick_s, now - start);
        start = now;
    }
    if (tick_s > coarsest_s)
        fail("this system's clock of CPU time is too coarse to measure by");
}

/* Memory that is written to: pages that never were are all the same one. */
static double *filled_array(long bytes)
{
    long page_bytes = sysconf(_SC_PAGESIZE), rounded = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    double *array = aligned_alloc((size_t)page_bytes, (size_t)rounded);
    if (array == NULL)
        fail("there is not enough memory");
    for (long i = 0; i < rounded / 8; i++)
        array[i] = 1.0;
    return array;
}

/* One line of JSON: what was measured, at which `x` (the inside of an object), and every sample of it. */
static void write_series(const char *quantity, const char *series, const char *x, const char *unit,
                         const double *samples, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(samples[i]))
            fail("a time was too short for the clock");
    printf("{\"quantity\":\"%s\",\"series\":\"%s\",\"x\":{%s},", quantity, series, x);
    printf("\"unit\":\"%s\",\"samples\":[", unit);
    for (int i = 0; i < count; i++)
        printf("%s%.9g", i > 0 ? "," : "", samples[i]);
    printf("]}\n");
    fflush(stdout);
}
