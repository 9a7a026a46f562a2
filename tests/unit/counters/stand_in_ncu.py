"""A stand-in for Nsight Compute. SYNTHETIC: every number here is made up, none was measured.

It takes the options that `warplens counters collect` gives, runs nothing, and writes what ncu would. What the program
is called says what goes wrong.
"""

import sys
import time
from pathlib import Path

METRICS = ("gpu__time_duration", "smsp__inst_executed", "dram__bytes_read", "sm__warps_active")


def main(arguments: list[str]) -> int:
    if arguments == ["--query-metrics"]:
        sys.stdout.write("Device NVIDIA Made Up\n" + "".join(f"{name}    Counter   of it\n" for name in METRICS))
        return 0
    log = Path(arguments[arguments.index("--log-file") + 1])
    metrics = arguments[arguments.index("--metrics") + 1].split(",")
    program, size = arguments[arguments.index("--log-file") + 2 :][:2]
    calls = Path("calls.txt")
    calls.write_text((calls.read_text() if calls.exists() else "") + f"{program} {size}\n")
    if program == "forbidden":
        log.write_text("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access GPU counters\n")
        return 1
    if program == "no_kernel":
        log.write_text("==WARNING== No kernels were profiled.\n")
        return 0
    if program == "usage":
        sys.stderr.write("usage: mm N\n")
        log.write_text("==PROF== Connected\n==ERROR== The application returned an error code (2).\n")
        return 1
    if program == "crashes" and size == "512":
        sys.stderr.write("Segmentation fault\n")
        log.write_text("==PROF== Connected\n")
        return 139
    if program == "hangs":
        log.write_text("==PROF== Connected\n")
        time.sleep(60)
    columns = ["ID", "Kernel Name", "Block Size", "Grid Size", *metrics]
    units = ["", "", "", "", *("ns" if name == "gpu__time_duration.sum" else "" for name in metrics)]
    values = ("NVIDIA Made Up" if name == "device__attribute_display_name" else size for name in metrics)
    cells = ["0", "k(int)", "(256, 1, 1)", "(8, 1, 1)", *values]
    rows = "\n".join(",".join(f'"{cell}"' for cell in row) for row in (columns, units, cells))
    log.write_text(f"==PROF== Connected\n{rows}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
