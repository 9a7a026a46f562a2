"""Predicted over measured of every timed nest: `PYTHONPATH=tests python -m accuracy.cpu_nests.report [--all|--tune]`.

Without an option only what lies outside the factor is listed, and of the hold-out nothing but its share.
"""

from __future__ import annotations

import sys

from accuracy.cpu_nests.predicted import WITHIN, TimedCase, share_near, timed_cases


def line(case: TimedCase) -> str:
    """One case as a row."""
    predicted = case.predicted
    return (
        f"{case.nest.name:24}{case.n:>10}  {case.flags.replace('-march=native', 'native'):26}"
        f"{case.measured_s * 1e6:>12.2f}{predicted.one_core_s * 1e6:>12.2f}{case.ratio:>7.2f}"
        f"{'' if case.is_near else ' *':2}"
        f"  {predicted.bound_by}{', vectorised' if predicted.vectorised else ''}"
    )


def main() -> None:
    cases = timed_cases()
    listed = [case for case in cases if "--all" in sys.argv or not case.nest.is_held_out]
    if "--all" not in sys.argv and "--tune" not in sys.argv:
        listed = [case for case in listed if not case.is_near]
    print(f"{'nest':24}{'n':>10}  {'flags':26}{'measured us':>12}{'predicted':>12}{'ratio':>7}")
    for case in listed:
        print(line(case))
    for flags in dict.fromkeys(case.flags for case in cases):
        for held_out in (False, True):
            some = [case for case in cases if case.flags == flags and case.nest.is_held_out is held_out]
            if some:
                what = "hold-out" if held_out else "tuned on"
                print(f"{flags:32} {what}: {share_near(some):.0%} of {len(some)} within {WITHIN}")
    for held_out in (False, True):
        some = [case for case in cases if case.nest.is_held_out is held_out]
        print(f"all flags, {'hold-out' if held_out else 'tuned on'}: {share_near(some):.0%} of {len(some)}")


if __name__ == "__main__":
    main()
