// Quantity: device.properties
// Keys: device.compute_capability, device.sm_count, device.warp_size_threads, occupancy.max_threads_per_block, occupancy.max_threads_per_sm, occupancy.max_blocks_per_sm, occupancy.registers_per_sm, occupancy.registers_max_per_block, occupancy.shared_per_sm_bytes, occupancy.shared_per_block_bytes, occupancy.shared_reserved_per_block_bytes, l2.size_bytes, dram.size_gb, dram.theoretical_bandwidth_gb_per_s
// What the driver says of the device: cudaGetDeviceProperties, cudaDeviceGetAttribute. Nothing is measured.

static void write_number(const Plan &plan, const char *series, const char *unit, double value)
{
    write_series(plan, series, {}, unit, {value});
}

// Left out where the driver doesn't know it.
static void write_attribute(const Plan &plan, const char *series, const char *unit, double scale, cudaDeviceAttr which)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess)
        write_number(plan, series, unit, scale * value);
    else
        cudaGetLastError();
}

static void device_properties(const Plan &plan)
{
    const struct {
        const char *series, *unit;
        double scale;
        cudaDeviceAttr which;
    } attributes[] = {
        {"sm_count", "count", 1, cudaDevAttrMultiProcessorCount},
        {"warp_size", "count", 1, cudaDevAttrWarpSize},
        {"max_threads_per_block", "count", 1, cudaDevAttrMaxThreadsPerBlock},
        {"max_threads_per_sm", "count", 1, cudaDevAttrMaxThreadsPerMultiProcessor},
        {"max_blocks_per_sm", "count", 1, cudaDevAttrMaxBlocksPerMultiprocessor},
        {"registers_per_sm", "count", 1, cudaDevAttrMaxRegistersPerMultiprocessor},
        {"registers_per_block", "count", 1, cudaDevAttrMaxRegistersPerBlock},
        {"shared_per_sm", "bytes", 1, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
        {"shared_per_block", "bytes", 1, cudaDevAttrMaxSharedMemoryPerBlock},
        {"shared_per_block_optin", "bytes", 1, cudaDevAttrMaxSharedMemoryPerBlockOptin},
        {"shared_reserved_per_block", "bytes", 1, cudaDevAttrReservedSharedMemoryPerBlock},
        {"l2_size", "bytes", 1, cudaDevAttrL2CacheSize},
        {"memory_bus_width", "bits", 1, cudaDevAttrGlobalMemoryBusWidth},
        {"sm_clock_peak", "MHz", 1e-3, cudaDevAttrClockRate},
        {"memory_clock_peak", "MHz", 1e-3, cudaDevAttrMemoryClockRate},
        {"ecc_enabled", "count", 1, cudaDevAttrEccEnabled},
        {"unified_addressing", "count", 1, cudaDevAttrUnifiedAddressing},
        {"global_l1_cache", "count", 1, cudaDevAttrGlobalL1CacheSupported},
    };
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    char capability[32];
    snprintf(capability, sizeof capability, "%d.%d", properties.major, properties.minor);
    write_text(plan, "name", properties.name);
    write_text(plan, "compute_capability", capability);
    for (const auto &one : attributes)
        write_attribute(plan, one.series, one.unit, one.scale, one.which);
    int driver = 0, runtime = 0;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    write_number(plan, "memory_size", "bytes", static_cast<double>(properties.totalGlobalMem));
    write_number(plan, "memory_free", "bytes", static_cast<double>(free_bytes()));
    write_number(plan, "driver_version", "count", driver);
    write_number(plan, "runtime_version", "count", runtime);
}
