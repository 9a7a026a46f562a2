// Quantity: atomics.spread
// Keys:
// SASS: add_global (RED|REDG|ATOMG)\..*ADD.* >= 1
// SASS: add_shared ATOMS\..* >= 1
// Threads that fill the SMs add to more and more addresses: neighbouring threads to neighbouring ones, or the threads
// of a warp to one and each warp to a line of its own. Method and its source: adding.cuh.

template <class T>
static void write_spread(const Plan &plan, const char *series, AddingKernel<T> kernel, uint32_t most_addresses,
                         uint32_t shift, uint32_t spacing)
{
    DeviceArray<T> sums(std::max(size_t{most_addresses} * spacing, size_t{blocks_that_fill()}));
    for (uint32_t addresses = 1; addresses <= most_addresses; addresses *= plan.quick ? 32 : 4) {
        Samples rates = additions_per_s(plan, kernel, sums, blocks_that_fill(), shift, addresses, spacing);
        write_series(plan, series, {{"addresses", addresses}}, "results/s", rates);
    }
}

static void atomics_spread(const Plan &plan)
{
    enum { MOST = 1 << 22, MOST_LINES = 1 << 16, WARP_SHIFT = 5, LINE = 32 };
    write_spread<int>(plan, "int", add_global<int>, MOST, 0, 1);
    write_spread<float>(plan, "float", add_global<float>, MOST, 0, 1);
    write_spread<int>(plan, "int_one_per_warp", add_global<int>, MOST_LINES, WARP_SHIFT, LINE);
    write_spread<float>(plan, "float_one_per_warp", add_global<float>, MOST_LINES, WARP_SHIFT, LINE);
    write_spread<int>(plan, "shared_int", add_shared<int>, SHARED_ADDRESSES, 0, 1);
    write_spread<float>(plan, "shared_float", add_shared<float>, SHARED_ADDRESSES, 0, 1);
}
