"""Time of one simulation, of one prediction and of one nest's evaluation; printed, not asserted.

Run: python tests/bench/bench_simulation.py
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.resios.kernel_time import predict_kernel
from warplens.hwprofiles.loader import cpu_names, load_cpu, load_gpu

NESTS = {
    "vecadd": "for (int i = 0; i < n; i++) c[i] = a[i] + b[i];",
    "transpose": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[j*n+i] = a[i*n+j];",
    "matmul": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {"
    " float s = 0; for (int k = 0; k < n; k++) s += a[i*n+k] * b[k*n+j]; c[i*n+j] = s; }",
    "convolution": "for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) { float s = 0;"
    " for (int i = 0; i < 15; i++) for (int j = 0; j < 15; j++) s += a[(y+i)*(n+14)+x+j] * b[i*15+j];"
    " c[y*n+x] = s; }",
}
SIZES = (1024, 65536, 2**40)


def milliseconds(action: Callable[[], object], repeats: int = 15) -> float:
    """Median time of a call."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        action()
        times.append(perf_counter() - start)
    return 1e3 * median(times)


def nest_facts(body: str) -> NestFacts:
    """Facts of one nest over three arrays."""
    source = f"void f(long n, const float *restrict a, const float *restrict b, float *restrict c) {{ {body} }}"
    unit = parse_unit(source, Preprocessed(f'# 1 "t.c"\n{source}', "t.c"), Memo())
    return analyse_nest(unit.functions[0].nests[0].nest)


def row(name: str, facts: NestFacts, n: int, gpu: Gpu, cpu: Cpu) -> str:
    """One line of the table."""
    kernel, sizes = facts.kernels[0], {"n": n}
    block = (256, 1, 1) if len(kernel.grid) == 1 else (32, 8, 1)
    case = kernel_on_gpu(SizedKernel(kernel, sizes), LaunchConfig(block), gpu)
    trace = case.trace
    simulate = milliseconds(lambda: case.simulate(trace))
    predict = milliseconds(lambda: predict_kernel(case))
    evaluate = milliseconds(lambda: evaluate_nest(facts, sizes, gpu, cpu))
    return f"{name:12} {n:14} {len(trace.operations):10} {simulate:9.2f} {predict:9.2f} {evaluate:9.2f}"


def main() -> None:
    """Print one line per nest and size."""
    gpu, cpu = load_gpu("a100"), load_cpu(cpu_names()[0])
    print(f"{'nest':12} {'n':>14} {'operations':>10} {'simulate':>9} {'predict':>9} {'evaluate':>9}   ms, {gpu.name}")
    for name, body in NESTS.items():
        facts = nest_facts(body)
        for n in SIZES:
            print(row(name, facts, n, gpu, cpu))


if __name__ == "__main__":
    main()
