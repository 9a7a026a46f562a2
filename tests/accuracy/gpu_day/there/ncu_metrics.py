"""Which of the counters that are wanted this machine's GPU has, as ncu says."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence

_BASE = re.compile(r"^\s*([a-z0-9]+__[a-z0-9_]+)\b", re.MULTILINE)
_LIMIT_S = 60.0


def available_metrics(always: Sequence[str], groups: Sequence[Sequence[str]]) -> str:
    """`always`, and of each group the first that the GPU has; empty where ncu does not say which there are."""
    known: set[str] = set()
    ncu = shutil.which("ncu")
    if ncu is not None:
        command = [ncu, "--query-metrics"]
        try:
            said = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=_LIMIT_S, check=False
            )
            known = set(_BASE.findall(said.stdout))
        except (OSError, subprocess.SubprocessError):
            return ""
    return ",".join(chosen_metrics(always, groups, known)) if known else ""


def chosen_metrics(always: Sequence[str], groups: Sequence[Sequence[str]], known: set[str]) -> list[str]:
    """Names, each once.

    >>> chosen_metrics(["launch__a"], [["b__x.sum", "b__y.sum"], ["d__x.avg"]], {"b__y", "c__x"})
    ['launch__a', 'b__y.sum']
    """
    names = list(always)
    for group in groups:
        names += [name for name in group if name.partition(".")[0] in known][:1]
    return list(dict.fromkeys(names))
