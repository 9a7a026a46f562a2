/* l1, l2 and l3.bandwidth_gb_per_s, and dram.bandwidth_one_core_gb_per_s: what one core streams. */
static void write_bandwidth(const char *quantity, long n, int bytes_of_element, const struct plan *plan)
{
    struct triad_arrays arrays = triad_arrays(n);
    double samples[MOST_SAMPLES];
    triad_s(&arrays); /* once before: what it loads is in its cache from here on */
    for (int i = 0; i < plan->samples; i++)
        samples[i] = 1e-9 * bytes_of_element * (double)n / triad_s(&arrays);
    write_series(quantity, "value", "", "GB/s", samples, plan->samples);
}

/* The three arrays fill half of the cache. In L1, 24 bytes an element pass the ports; behind it 32 move, for the line
 * that is stored to is fetched too. */
enum { L1_BYTES_OF_ELEMENT = 24, BYTES_OF_ELEMENT = 32, ELEMENT_BYTES_OF_HALF = 48 };

static void l1_bandwidth(const char *quantity, const struct plan *plan)
{
    write_bandwidth(quantity, plan->l1_bytes / ELEMENT_BYTES_OF_HALF, L1_BYTES_OF_ELEMENT, plan);
}

static void l2_bandwidth(const char *quantity, const struct plan *plan)
{
    write_bandwidth(quantity, plan->l2_bytes / ELEMENT_BYTES_OF_HALF, BYTES_OF_ELEMENT, plan);
}

static void l3_bandwidth(const char *quantity, const struct plan *plan)
{
    write_bandwidth(quantity, plan->l3_bytes / ELEMENT_BYTES_OF_HALF, BYTES_OF_ELEMENT, plan);
}

/* Each array is thrice the last cache. */
static long memory_elements(const struct plan *plan) { return 3 * plan->l3_bytes / 8; }

static void dram_bandwidth_one_core(const char *quantity, const struct plan *plan)
{
    write_bandwidth(quantity, memory_elements(plan), BYTES_OF_ELEMENT, plan);
}
