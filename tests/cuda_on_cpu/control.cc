// What the checks, which are C, need of the machine that the ports run on.
#include "cuda_runtime.h"
#include "driver.h"

void cuda_order(unsigned seed) { cuda_on_cpu::order = {seed}; }

void cuda_host(void *start, size_t bytes)
{
    if (bytes)
        cuda_on_cpu::declare_host(start, bytes);
}

// After a port: nothing may be left on the device, and no error unseen.
void cuda_done()
{
    cuda_on_cpu::on_host.clear();
    if (!cuda_on_cpu::on_device.empty())
        cuda_on_cpu::wrong("memory of the device that is never freed", 0);
    if (cuda_on_cpu::last_error)
        cuda_on_cpu::wrong("a failed call that nobody looked at", 0);
}

void cuda_fail(int call)
{
    cuda_on_cpu::calls = 0;
    cuda_on_cpu::failing_call = call;
}

int cuda_calls() { return cuda_on_cpu::calls; }

// What the compiler calls before every access.
extern "C" {
#define CALLER __builtin_return_address(0)
#define REPORTED(BYTES)                                                                                                \
    void __tsan_read##BYTES(void *at) { cuda_on_cpu::report(at, BYTES, false, false, CALLER); }                        \
    void __tsan_write##BYTES(void *at) { cuda_on_cpu::report(at, BYTES, true, false, CALLER); }                        \
    void __tsan_unaligned_read##BYTES(void *at) { cuda_on_cpu::report(at, BYTES, false, false, CALLER); }              \
    void __tsan_unaligned_write##BYTES(void *at) { cuda_on_cpu::report(at, BYTES, true, false, CALLER); }
REPORTED(1)
REPORTED(2)
REPORTED(4)
REPORTED(8)
REPORTED(16)
void __tsan_read_range(void *at, unsigned long bytes) { cuda_on_cpu::report(at, bytes, false, false, CALLER); }
void __tsan_write_range(void *at, unsigned long bytes) { cuda_on_cpu::report(at, bytes, true, false, CALLER); }
void __tsan_vptr_update(void **, void *) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_init() {}
}
