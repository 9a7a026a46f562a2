// Quantity: host.launch_overhead_us
// Keys: host.launch_overhead_us
// SASS: empty_kernel EXIT >= 1
// From before the launch of a kernel that does nothing to after the synchronisation, by the host's clock, with nothing
// else on the GPU. Method: L. Zhang et al., "A Study of Single and Multi-device Synchronization Methods in NVIDIA
// GPUs", IPDPS 2020 (launch overhead, kernel total latency).

static void host_launch_overhead_us(const Plan &plan)
{
    Plan more = plan;
    more.samples *= 5; // each takes microseconds, and some are disturbed
    more.warm_ups = 20;
    Samples seconds = sampled(more, [] {
        double start = host_s();
        launch_empty();
        CHECK(cudaDeviceSynchronize());
        return host_s() - start;
    });
    write_series(plan, "empty_launch", {}, "s", seconds);
}
