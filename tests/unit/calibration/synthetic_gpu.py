"""A stand-in for the program that measures a GPU. SYNTHETIC: every number here is made up, none was measured.

`synthetic_gpu.py list`, `synthetic_gpu.py run QUANTITY [--quick]`. The folder that it lies in may hold files that make
it fail: `no_gpu`, `hangs`, `dies`, `lies` with the quantity that they are for. What it ran goes to `log` there.
"""

import json
import random
import sys
import time
from pathlib import Path

TRUTH = {
    "lat": 4.0, "tput": 64.0, "overhead": 27.0, "shared": 29.0, "l1": 33.0, "l2": 270.0, "dram": 600.0,
    "clock": 1700.0, "bandwidth": 1500.0, "knee_bytes": 8192.0, "h2d": 25.0e9, "latency_s": 9e-6, "pageable": 6.0e9,
    "launch_s": 5e-6, "interval_s": 2.2e-6, "context_s": 0.21, "lines": 0.5,
}  # fmt: skip
PROPERTIES = {
    "sm_count": 96, "warp_size": 32, "max_threads_per_block": 1024, "max_threads_per_sm": 2048, "max_blocks_per_sm": 32,
    "registers_per_sm": 65536, "registers_per_block": 65536,
}  # fmt: skip
BYTES = {"shared_per_sm": 167936, "shared_per_block_optin": 166912, "shared_reserved_per_block": 1024,
         "l2_size": 33554432, "memory_size": 32e9}  # fmt: skip
HERE = Path(sys.argv[0]).parent
random.seed(7)


def emit(quantity, series, unit, value, **x):
    """A point: eleven samples within a part in a hundred, one of them far off."""
    samples = [value * (1 + random.uniform(-0.01, 0.01)) for _ in range(10)] + [value * 1.8]
    print(json.dumps({"quantity": quantity, "series": series, "x": x, "unit": unit, "samples": samples}), flush=True)


def properties():
    for name, text in (("name", "Synthetic <b>GPU</b> & Söhne"), ("compute_capability", "8.0")):
        line = {"quantity": "device.properties", "series": name, "x": {}, "unit": "-", "text": text}
        print(json.dumps(line))
    for name, number in {**PROPERTIES, **BYTES}.items():
        line = {"quantity": "device.properties", "series": name, "x": {}, "unit": "count", "samples": [number]}
        print(json.dumps(line))


def instruction(quantity):
    for links in (64, 128, 256, 512):
        emit(quantity, "dependent", "cycles", TRUTH["overhead"] + TRUTH["lat"] * links, links=links)
    for chains in (1, 4):
        for warps in (1, 2, 4, 8, 16, 32, 64):
            rate = min(TRUTH["tput"], 32 * warps * chains / TRUTH["lat"])
            emit(quantity, "independent", "results/clk/SM", rate, warps_per_sm=warps, chains=chains)


def level(quantity, value, series="latency"):
    for footprint in (1, 2, 4):
        emit(quantity, series, "cycles", value, footprint_bytes=footprint * 4096.0)
        emit(quantity, "clock", "MHz", TRUTH["clock"], footprint_bytes=footprint * 4096.0)


def transfers():
    rates = {"h2d_pinned": "h2d", "d2h_pinned": "h2d", "h2d_pageable": "pageable", "d2h_pageable": "pageable"}
    for series, rate in rates.items():
        for power in range(10, 31, 2):
            emit("host.transfers", series, "s", TRUTH["latency_s"] + 2**power / TRUTH[rate], size_bytes=2**power)


def in_flight():
    for warps in (1, 2, 4, 8, 16, 32, 64):
        for size in (4, 16):
            share = min(1.0, 32 * warps * size / TRUTH["knee_bytes"])
            emit("dram.bytes_in_flight", "bandwidth", "GB/s", TRUTH["bandwidth"] * share, warps_per_sm=warps,
                 bytes_per_thread=size)  # fmt: skip


def levels(quantity):
    if quantity == "dram.latency_cycles":
        level(quantity, TRUTH["dram"] * 1.2)
        level(quantity, TRUTH["dram"], "latency_near")
    else:
        level(quantity, TRUTH[quantity.partition(".")[0]])


def triad(quantity):
    for size, share in ((2**20, 0.4), (2**28, 1.0)):
        emit(quantity, "triad", "GB/s", TRUTH["bandwidth"] * share, array_bytes=size)


def requests(quantity):
    for lines in (1, 2, 4, 8, 16, 32):
        emit(quantity, "request", "cycles", max(2.0, lines / TRUTH["lines"]), lines_per_request=lines)


def conflicts(quantity):
    for stride in (1, 2, 4, 8, 16, 32, 64):
        emit(quantity, "conflict", "cycles", float(min(stride, 32)), stride_words=stride)


def intervals(quantity):
    for launches in (10, 100, 1000):
        emit(quantity, "interval", "s", 1e-5 + TRUTH["interval_s"] * launches, launches=launches)


MEASURED = {
    "device.properties": lambda _: properties(),
    "device.sm_clock_mhz": lambda name: emit(name, "clock", "MHz", TRUTH["clock"], milliseconds=500),
    "shared.latency_cycles": levels,
    "shared.banks": conflicts,
    "l1.latency_cycles": levels,
    "l1.lines_per_clk_per_sm": requests,
    "l2.latency_cycles": levels,
    "dram.latency_cycles": levels,
    "dram.bandwidth_gb_per_s": triad,
    "dram.bytes_in_flight": lambda _: in_flight(),
    "host.transfers": lambda _: transfers(),
    "host.launch_overhead_us": lambda name: emit(name, "empty_launch", "s", TRUTH["launch_s"]),
    "host.launch_interval_us": intervals,
    "host.context_init_ms": lambda name: emit(name, "context", "s", TRUTH["context_s"]),
}


def measure(quantity):
    if quantity.startswith("instructions."):
        instruction(quantity)
    else:
        MEASURED.get(quantity, lambda name: emit(name, "other", "GB/s", 1.0, size=1))(quantity)
    print(json.dumps({"quantity": quantity, "done": True}))


def main():
    def told(name):
        path = HERE / name
        return path.read_text().strip() if path.exists() else ""

    quantity = sys.argv[2]
    with (HERE / "log").open("a") as log:
        log.write(f"{quantity}\n")
    if (HERE / "no_gpu").exists():
        sys.stderr.write("there is no GPU that CUDA can use here\n")
        raise SystemExit(4)
    if told("dies") == quantity:
        sys.stderr.write("timing.cuh:12: out of memory\n")
        raise SystemExit(1)
    if told("hangs") == quantity:
        time.sleep(600)
    if told("lies") == quantity:
        print('{"quantity": 7}')
        return
    measure(quantity)


if __name__ == "__main__":
    main()
