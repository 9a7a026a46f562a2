"""A port by hand passes the comparison with the original, and versions of it that are wrong do not."""

from pathlib import Path

from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.programs import Checked, Port, failures

CASE = Case(
    "scaled",
    """
    double scaled(int n, double factor, const float a[n], float b[n + 1])
    {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            b[i] = factor * a[i];
            sum += a[i];
        }
        return sum;
    }
    """,
    ({"n": 0}, {"n": 1}, {"n": 77}),
    "scaled",
    terms="n",
)
CUDA = """
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void scaled_kernel(int n, double factor, const float *__restrict__ a, float *__restrict__ b, double *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double mine = i < n ? a[i] : 0;
    if (i < LAST)
        b[i] = FACTOR * a[i];
    for (int by = 16; by > 0; by /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, by);
    if (threadIdx.x == 0)
        atomicAdd(sum, mine);
}

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        std::exit(EXIT_FAILURE);
}

extern "C" void scaled_cuda(int n, double factor, const float *a, float *b, double *sum)
{
    if (n <= 0)
        return;
    float *d_a = nullptr, *d_b = nullptr;
    double *d_sum = nullptr;
    check(cudaMalloc(&d_a, n * sizeof *a));
    check(cudaMalloc(&d_b, n * sizeof *b));
    check(cudaMalloc(&d_sum, sizeof *sum));
    check(cudaMemcpy(d_a, a, n * sizeof *a, cudaMemcpyHostToDevice));
    check(cudaMemcpy(d_sum, sum, sizeof *sum, cudaMemcpyHostToDevice));
    scaled_kernel<<<(n + 31) / 32, 32>>>(n, factor, d_a, d_b, d_sum);
    check(cudaGetLastError());
    check(cudaMemcpy(b, d_b, COPIED * sizeof *b, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(sum, d_sum, sizeof *sum, cudaMemcpyDeviceToHost));
    check(cudaFree(d_a));
    check(cudaFree(d_b));
    check(cudaFree(d_sum));
}
"""
C = """
double scaled(int n, double factor, const float a[n], float b[n + 1])
{
    double sum = 0;
    scaled_cuda(n, factor, a, b, &sum);
    return sum;
}
"""
RIGHT = {"LAST": "n", "FACTOR": "factor", "COPIED": "n"}
WRONG = (
    {"LAST": "n - 1"},
    {"FACTOR": "(float)factor * 1.0000001f"},
    {"COPIED": "(n - 1)"},
    {"COPIED": "(n + 1)"},
    {"mine += __shfl": "mine = __shfl"},
    {"atomicAdd(sum, mine)": "*sum += mine"},
    {"    check(cudaFree(d_a));\n": ""},
    {"    if (n <= 0)\n        return;\n": ""},
)


def _port(changes: dict[str, str]) -> Port:
    text = CUDA
    for old, new in (*changes.items(), *RIGHT.items()):
        text = text.replace(old, new)
    prototype = "void scaled_cuda(int n, double factor, const float *a, float *b, double *sum);"
    return Port((text,), C, ("scaled_cuda",), (prototype,))


def test_only_the_right_port_passes(tmp_path: Path) -> None:
    ports = (_port({}), *map(_port, WRONG))
    found = failures([Checked(CASE, ports)], tmp_path)
    assert [failure.port for failure in found] == list(range(1, len(ports)))
