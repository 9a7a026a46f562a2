"""`python -m accuracy.counters.known_bottlenecks.to_table FOLDER OUTPUT.csv.gz`: one table of what collect.sh measured.

Metrics have our names and units; throughputs, which the other numbers give, are left out.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
from pathlib import Path

from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.server.measure.counters.asked_sizes import number_text, sizes_in_name
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files


def main() -> None:
    """Read the sweep of a folder, and write its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--comment", default="", help="where it was measured, and with what")
    options = parser.parse_args()
    files = sorted((options.folder / "runs").glob("n=*.csv"), key=lambda path: sizes_in_name(path)["n"])
    table = read_counter_files(files, ReadOptions(sizes={str(path): sizes_in_name(path) for path in files}))
    metrics = counter_vocabulary().metrics
    kept = [j for j, name in enumerate(table.metrics) if metrics[name].unit != "bytes/s"]
    text = io.StringIO()
    text.write(f"# {options.comment}\n")
    writer = csv.writer(text, lineterminator="\n")
    launch = ("kernel", "gpu", "n", "time_ns", "block_x", "block_y", "grid_x", "grid_y", "registers", "shared_bytes")
    writer.writerow((*launch, *(table.metrics[j] for j in kept)))
    for run, values in zip(table.runs, table.values, strict=True):
        assert run.block is not None
        assert run.grid is not None
        assert run.time_s is not None
        described = (
            run.kernel, run.gpu, number_text(dict(run.problem)["n"]), f"{run.time_s * 1e9:.10g}", *run.block[:2],
            *run.grid[:2], run.registers, run.shared_bytes,
        )  # fmt: skip
        writer.writerow((*described, *(f"{values[j]:.10g}" for j in kept)))
    options.output.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))
    print(f"{len(table.runs)} runs, {len(kept)} metrics; {'; '.join(table.remarks)}")


if __name__ == "__main__":
    main()
