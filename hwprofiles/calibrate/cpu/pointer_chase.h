/* Loads in random order through places that are `stride` bytes apart: each place holds where the next one is. */

struct chase {
    char *base;
    long places, stride_bytes;
    uint64_t *order;
};

/* The order goes through `window` places before it enters the next window of them. */
static struct chase pointer_chase(long places, long stride_bytes, long window)
{
    struct chase chase = {(char *)filled_array(places * stride_bytes + 64), places, stride_bytes, NULL};
    uint64_t state = 88172645463325252u, *order = calloc((size_t)places + 1, sizeof *order);
    if (order == NULL)
        fail("there is not enough memory");
    for (long i = 0; i < places; i++)
        order[i] = (uint64_t)i;
    for (long first = 0; first < places; first += window)
        for (long i = (first + window < places ? window : places - first) - 1; i > 0; i--) {
            long j = first + (long)(random_bits(&state) % (uint64_t)(i + 1));
            uint64_t kept = order[first + i];
            order[first + i] = order[j], order[j] = kept;
        }
    order[places] = order[0];
    for (long i = 0; i < places; i++)
        *(uint64_t *)(chase.base + order[i] * (uint64_t)stride_bytes) = order[i + 1] * (uint64_t)stride_bytes;
    chase.order = order;
    return chase;
}

static void end_chase(struct chase *chase)
{
    free(chase->base);
    free(chase->order);
}

/* A run is a millisecond or two where that is enough, shorter than what the scheduler gives at a time: after another
 * process has used the cache, the next run finds it as it was. */
static long chase_passes(const struct chase *on) { return 1 + 100000 / on->places; }

/* Nanoseconds of a load whose address the load before gave. */
static double dependent_ns(const struct chase *on)
{
    long loads = chase_passes(on) * on->places;
    uint64_t at = 0;
    double start = thread_s();
    for (long i = 0; i < loads; i++)
        at = *(uint64_t *)(on->base + at);
    __asm__ volatile("" ::"r"(at));
    return 1e9 * (thread_s() - start) / (double)loads;
}

/* Nanoseconds of a load when none waits for another. */
static double independent_ns(const struct chase *on)
{
    long passes = chase_passes(on);
    uint64_t sum = 0;
    double start = thread_s();
    for (long pass = 0; pass < passes; pass++)
        for (long i = 0; i < on->places; i++)
            sum += *(uint64_t *)(on->base + on->order[i] * (uint64_t)on->stride_bytes);
    __asm__ volatile("" ::"r"(sum));
    return 1e9 * (thread_s() - start) / (double)(passes * on->places);
}

static double best_ns(double (*timed)(const struct chase *), const struct chase *on)
{
    double best = INFINITY;
    for (int run = on->places > 500000 ? 8 : 0; run < 10; run++)
        best = smaller(best, timed(on));
    return best;
}

/* Write the times of both kinds of loads. */
static void write_chase(const char *quantity, long places, long stride_bytes, long window, const struct plan *plan)
{
    struct chase chase = pointer_chase(places, stride_bytes, window);
    double dependent[MOST_SAMPLES], independent[MOST_SAMPLES];
    char x[64];
    dependent_ns(&chase);
    for (int i = 0; i < plan->samples; i++) {
        dependent[i] = best_ns(dependent_ns, &chase);
        independent[i] = best_ns(independent_ns, &chase);
    }
    end_chase(&chase);
    snprintf(x, sizeof x, "\"places\":%ld,\"stride_bytes\":%ld", places, stride_bytes);
    write_series(quantity, "dependent", x, "ns", dependent, plan->samples);
    write_series(quantity, "independent", x, "ns", independent, plan->samples);
}
