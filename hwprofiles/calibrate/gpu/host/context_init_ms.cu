// Quantity: host.context_init_ms
// Keys: host.context_init_ms
// The first CUDA call of the process, which loads the driver and makes the context: cudaFree(0), as CUDA programs force
// it. A process has one first call: one sample. What the operating system keeps of the driver's files from a run before
// makes it shorter.

static void host_context_init_ms(const Plan &plan)
{
    double start = host_s();
    CHECK(cudaFree(nullptr));
    double seconds = host_s() - start;
    write_series(plan, "context", {}, "s", {seconds});
}
