/* translation.page_walk_ns, page_walks_in_flight and entries: loads of a line on each page, beside loads of as many
 * lines that share pages. The lines lie one further on each page, so that they spread over the sets and the caches hold
 * them. */
static void translation(const char *quantity, const struct plan *plan)
{
    enum { FEWEST_PAGES = 512 };
    long stride_bytes = sysconf(_SC_PAGESIZE) + LINE_BYTES, pages = 3 * plan->l3_bytes / stride_bytes;
    write_chase(quantity, pages, LINE_BYTES, pages, plan);
    write_chase(quantity, pages, stride_bytes, pages, plan);
    for (long held = FEWEST_PAGES; held <= pages; held *= 2)
        write_chase(quantity, held, stride_bytes, held, plan);
}
