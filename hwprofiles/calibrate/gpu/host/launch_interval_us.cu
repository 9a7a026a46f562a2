// Quantity: host.launch_interval_us
// Keys: host.launch_interval_us
// SASS: empty_kernel EXIT >= 1
// Many kernels that do nothing, one launched after the other without waiting, and one synchronisation. Two numbers of
// launches: their difference has neither the first launch's overhead nor the synchronisation's. Method: L. Zhang et
// al., IPDPS 2020.

static void host_launch_interval_us(const Plan &plan)
{
    for (int launches : {200, 1000}) {
        Samples seconds = sampled(plan, [launches] {
            CHECK(cudaDeviceSynchronize());
            double start = host_s();
            for (int i = 0; i < launches; i++)
                launch_empty();
            CHECK(cudaDeviceSynchronize());
            return host_s() - start;
        });
        write_series(plan, "interval", {{"launches", launches}}, "s", seconds);
    }
}
