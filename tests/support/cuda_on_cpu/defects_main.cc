// Runs one case of defects.cu in several orders: where they differ, it is wrong.
#include <stdlib.h>
#include <string.h>

#include "defects_on_cpu.cc"
#include "driver.h"

int main(int argc, char **argv)
{
    enum { N = 96 };
    float *values = (float *)malloc(N * sizeof(float)), first[N], out[N];
    for (int i = 0; i < N; i++)
        values[i] = i * i % 31;
    for (unsigned seed = 0; seed < ORDERS; seed++) {
        cuda_order(seed);
        cuda_host(values, N * sizeof(float));
        run(atoi(argv[argc - 1]), values, out, N);
        cuda_done();
        if (seed == 0)
            memcpy(first, out, sizeof first);
        if (memcmp(first, out, sizeof first))
            cuda_on_cpu::wrong("orders differ", __LINE__);
    }
    free(values);
    return 0;
}
