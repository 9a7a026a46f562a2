"""`make accuracy-counters`: the tables of docs/accuracy.md, from fits of the measured runs (some minutes)."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean, median

from accuracy.counters.evaluate import Alone, Errors, HeldOut, alone, held_out
from accuracy.counters.runs import GPUS, OWN, PUBLISHED, cases
from accuracy.real_c.tables import table
from warplens.analysis.text.quantities import percent_text

DOCUMENT = Path(__file__).parents[3] / "docs" / "accuracy.md"
BEGIN = "<!-- counters: begin, written by tests/accuracy/counters/report.py -->"
END = "<!-- counters: end -->"


def main() -> None:
    """Print the tables; with --write, write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the tables in docs/accuracy.md")
    options = parser.parse_args()
    gpus: dict[str, list[str]] = {}
    for kernel, gpu in cases():
        gpus.setdefault(kernel, []).append(gpu)
    with ProcessPoolExecutor() as pool:
        found = tuple(pool.map(_of_kernel, gpus, gpus.values()))
    on_one, moved = [one for of, _ in found for one in of], [one for _, of in found for one in of]
    lines = [BEGIN, ""]
    for title, its in (("Published runs", PUBLISHED), ("Our own runs", OWN)):
        lines += [f"#### {title}\n"]
        lines += _tables([one for one in on_one if one.gpu in its], [one for one in moved if one.source in its])
    text = "\n".join(lines)
    if options.write:
        before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
        DOCUMENT.write_text(before + text + END + rest.partition(END)[2], encoding="utf-8")
    else:
        print(text)


def _of_kernel(kernel: str, gpus: Sequence[str]) -> tuple[tuple[Alone, ...], tuple[HeldOut, ...]]:
    pairs = [(source, target) for source in gpus for target in gpus if source != target]
    return tuple(alone(kernel, gpu) for gpu in gpus), tuple(held_out(kernel, *pair) for pair in pairs)


def _tables(on_one: Sequence[Alone], moved: Sequence[HeldOut]) -> Iterable[str]:
    yield "##### On the GPU of the runs\n"
    head = ("kernel", "GPU", "runs", "out of bag", "between: explained", "between: MAPE", "beyond: explained",
            "beyond: MAPE", "beyond: in band", "forest alone: explained", "forest alone: MAPE",
            "first bottleneck")  # fmt: skip
    yield table(head, [_alone_row(one) for one in on_one])
    yield f"Beyond: {_shares([one.beyond for one in on_one])}\n"
    yield "##### On a GPU that was held out\n"
    head = ("kernel", "from", "to", "no run: MAPE", "five: explained", "five: MAPE", "five: in band",
            "rank correlation", "verdict", "decided: explained", "decided: MAPE", "five, beyond: explained",
            "five, beyond: MAPE")  # fmt: skip
    yield table(head, [_moved_row(one) for one in moved])
    yield f"Five: {_shares([one.five for one in moved])}\n"
    for verdict in ("transfer", "mix", "refuse"):
        if rows := [one for one in moved if one.verdict == verdict]:
            yield f"- {_verdict(verdict, rows)}"
    yield ""


def _shares(found: Sequence[Errors]) -> str:
    inside = [one.in_band for one in found if one.in_band is not None]
    return (
        f"{fmean(inside):.0%} of the times are in the interval in the mean over the rows ({min(inside):.0%} in the "
        f"worst). MAPE {fmean(one.mape for one in found):.1%} in the mean, "
        f"{median(one.mape for one in found):.1%} in the median."
    )


def _verdict(verdict: str, rows: Sequence[HeldOut]) -> str:
    text = (
        f"`{verdict}`: {len(rows)} rows, MAPE in the mean {fmean(one.five.mape for one in rows):.1%} with five runs, "
        f"{fmean(one.beyond.mape for one in rows):.1%} beyond"
    )
    decided = [one.decided.mape for one in rows if one.decided is not None]
    return f"{text}, {fmean(decided):.1%} as decided" if decided else text


def _alone_row(one: Alone) -> tuple[str, ...]:
    return (
        one.kernel, _gpu(one.gpu), str(one.runs), f"{one.out_of_bag:.1%}", *_two(one.between), *_two(one.beyond),
        _band(one.beyond), *_two(one.beyond_forest_alone), one.bottleneck,
    )  # fmt: skip


def _moved_row(one: HeldOut) -> tuple[str, ...]:
    decided = ("", "") if one.decided is None else _two(one.decided)
    return (
        one.kernel, _gpu(one.source), _gpu(one.target), percent_text(one.none.mape), *_two(one.five), _band(one.five),
        f"{one.tau:.2f}", one.verdict, *decided, *_two(one.beyond),
    )  # fmt: skip


def _gpu(name: str) -> str:
    return GPUS[name]


def _two(found: Errors) -> tuple[str, str]:
    return f"{found.explained:.1%}", percent_text(found.mape)


def _band(found: Errors) -> str:
    return "" if found.in_band is None else f"{found.in_band:.0%}"


if __name__ == "__main__":
    main()
