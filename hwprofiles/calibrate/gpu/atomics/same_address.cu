// Quantity: atomics.same_address
// Keys:
// SASS: add_global (RED|REDG|ATOMG)\..*ADD.* >= 1
// SASS: add_shared ATOMS\..* >= 1
// All threads add to one address of global memory, or of their block's shared memory. Method and its source:
// adding.cuh.

template <class T>
static void write_same_address(const Plan &plan, const char *series, AddingKernel<T> kernel)
{
    DeviceArray<T> sums(blocks_that_fill());
    for (unsigned blocks = static_cast<unsigned>(sm_count()); blocks <= blocks_that_fill(); blocks *= 2) {
        Samples rates = additions_per_s(plan, kernel, sums, blocks, 0, 1, 1);
        write_series(plan, series, {{"threads", blocks * ADDING_THREADS}}, "results/s", rates);
    }
}

static void atomics_same_address(const Plan &plan)
{
    write_same_address<int>(plan, "int", add_global<int>);
    write_same_address<float>(plan, "float", add_global<float>);
    write_same_address<int>(plan, "shared_int", add_shared<int>);
    write_same_address<float>(plan, "shared_float", add_shared<float>);
}
