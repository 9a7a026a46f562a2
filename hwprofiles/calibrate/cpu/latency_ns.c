/* l1, l2, l3 and dram.latency_ns. In memory, the independent loads beside the dependent ones say how many lines are on
 * their way at a time (dram.misses_in_flight_per_core). */
enum { LINE_BYTES = 64 };

static void l1_latency(const char *quantity, const struct plan *plan)
{
    long lines = plan->l1_bytes / (2 * LINE_BYTES);
    write_chase(quantity, lines, LINE_BYTES, lines, plan);
}

static void l2_latency(const char *quantity, const struct plan *plan)
{
    long lines = plan->l2_bytes / (2 * LINE_BYTES);
    write_chase(quantity, lines, LINE_BYTES, lines, plan);
}

/* Four times L2, or half of L3 where that is less: most loads miss L2. */
static void l3_latency(const char *quantity, const struct plan *plan)
{
    long bytes = 4 * plan->l2_bytes < plan->l3_bytes / 2 ? 4 * plan->l2_bytes : plan->l3_bytes / 2;
    write_chase(quantity, bytes / LINE_BYTES, LINE_BYTES, bytes / LINE_BYTES, plan);
}

/* In windows of 512 pages, whose translations stay. */
static void dram_latency(const char *quantity, const struct plan *plan)
{
    long page_bytes = sysconf(_SC_PAGESIZE);
    write_chase(quantity, 3 * plan->l3_bytes / LINE_BYTES, LINE_BYTES, 512 * page_bytes / LINE_BYTES, plan);
}
