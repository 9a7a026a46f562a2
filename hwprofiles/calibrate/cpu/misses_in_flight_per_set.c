/* device.misses_in_flight_per_set: lines of one set of L1, a page apart, that L2 holds. */
static void misses_in_flight_per_set(const char *quantity, const struct plan *plan)
{
    enum { LINES = 64 };
    write_chase(quantity, LINES, sysconf(_SC_PAGESIZE), LINES, plan);
}
