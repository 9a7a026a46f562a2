"""How a kernel is rewritten into the mapping of a name: `warp:j`, `parts8:k`, `points`, `points>2:warp:i`.

The last is `points`, and the second kernel of what comes of it as `warp:i` again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from warplens.analysis.facts.mapping import WARP_THREADS
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.mapping.candidate_mappings import (
    TeamChoice,
    points_rewritten,
    split_choices,
    team_choices,
    team_rewritten,
)
from warplens.analysis.mapping.distributed_teams import distributed
from warplens.analysis.mapping.mapped_nest import Rewritten
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.split_sums import SplitSum, split_over_grid

Rewrite = Callable[[NewNames], Rewritten | None]

TEAMS = (WARP_THREADS, 64, 128, 256, 512, 1024)

POINTS = "points"

THEN = ">"
"""Between `points` and how kernels that come of it are rewritten again, each with its number in front."""

_MOST_PARTS = 1 << 16

_NAME = re.compile(
    r"(?P<mapping>points(?P<then>(?:>\d{1,2}:[^>]+)*)"
    r"|(?:(?P<warp>warp)|block(?P<block>\d{1,4})|parts(?P<parts>\d{1,5})(?:x(?P<part>\d{1,4}))?):[^#>]+)"
    r"(?:#(?P<which>\d{1,3}))?"
)


def mapping_name(source: SourceNest, choice: TeamChoice | SplitSum | None, threads: int = 1, parts: int = 1) -> str:
    """How it is listed: "warp:j", with the rows' loops where there are several, "warp:b,t/j"."""
    match choice:
        case None:
            return POINTS
        case TeamChoice(rows=rows, spread=spread):
            kind = "warp" if threads == WARP_THREADS else f"block{threads}"
        case SplitSum(rows=rows, loop=loop):
            spread = frozenset((loop.id,))
            kind = f"parts{parts}" if threads == 1 else f"parts{parts}x{threads}"
    loops = (loop.iterator for loop in loops_of(source.nest) if loop.id in spread)
    shared = "+".join(dict.fromkeys(map(c_name, loops)))
    per_row = ",".join(c_name(loop.iterator) for loop in rows.loops) if len(rows.loops) > 1 else ""
    return f"{kind}:{per_row}/{shared}" if per_row else f"{kind}:{shared}"


def then_name(again: Sequence[tuple[int, str]]) -> str:
    """The name of `points` with some of its kernels, by their numbers, rewritten again."""
    return POINTS + "".join(f"{THEN}{number}:{name}" for number, name in again)


def named_rewriting(source: SourceNest, kernel: Kernel, name: str, gpu: Gpu) -> Rewrite | None:
    """How a kernel becomes what a name says; of several choices that are called so the one whose number is said."""
    said = _NAME.fullmatch(name)
    if said is None or any(not one.is_array_element for one in kernel.reductions):
        return None
    ways: Sequence[Rewrite] = tuple(_ways(source, kernel, said, gpu))
    which = int(said["which"] or 1)
    can_be = (way for way in ways if len(ways) == 1 or way(NewNames(source.nest)) is not None)
    return next(islice(can_be, max(0, which - 1), None), None)


def rewritten_again(
    source: SourceNest, names: NewNames, kernel: Kernel, again: Sequence[tuple[int, str]], gpu: Gpu
) -> Rewritten | None:
    """A thread per innermost iteration, and kernels that come of it as their names say; None where one can't be so."""
    wanted = dict(again)
    met: set[int] = set()

    def chosen(nest: SourceNest, one: Kernel, number: int) -> Rewritten | None:
        rewrite = named_rewriting(nest, one, wanted[number], gpu) if number in wanted else None
        found = None if rewrite is None else rewrite(names)
        if found is not None:
            met.add(number)
        return found

    found = distributed(source, names, kernel, chosen)
    return found if met == set(wanted) else None


def _ways(source: SourceNest, kernel: Kernel, said: re.Match[str], gpu: Gpu) -> Iterator[Rewrite]:
    """The choices that are called so, in the order in which they are tried."""
    name = said["mapping"]
    if said["then"]:
        pieces = (piece.split(":", 1) for piece in said["then"].split(THEN)[1:])
        again = [(int(number), rest) for number, rest in pieces]
        if len(dict(again)) == len(again) and not any(rest.startswith(POINTS) for _, rest in again):
            yield partial(_again, source, kernel, again, gpu)
    elif name == POINTS:
        yield partial(_in_points, source, kernel)
    elif said["parts"] is None:
        threads = WARP_THREADS if said["warp"] else int(said["block"])
        for choice in team_choices(source, kernel) if _may_be_team(threads, gpu) else ():
            if mapping_name(source, choice, threads) == name:
                yield partial(_in_teams, source, choice, threads)
    else:
        parts, threads = int(said["parts"]), int(said["part"] or 1)
        can_be = _is_power_of_two(parts) and parts <= _MOST_PARTS and (threads == 1 or _may_be_team(threads, gpu))
        for split in split_choices(source, kernel) if can_be else ():
            is_one_row = len(split.rows.loops) == 1 or threads == 1
            if is_one_row and mapping_name(source, split, threads, parts) == name:
                yield partial(_in_parts, source, split, parts, threads)


def _again(
    source: SourceNest, kernel: Kernel, again: Sequence[tuple[int, str]], gpu: Gpu, names: NewNames
) -> Rewritten | None:
    return rewritten_again(source, names, kernel, again, gpu)


def _in_points(source: SourceNest, kernel: Kernel, names: NewNames) -> Rewritten | None:
    return points_rewritten(source, names, kernel)


def _in_teams(source: SourceNest, choice: TeamChoice, threads: int, names: NewNames) -> Rewritten | None:
    return team_rewritten(source, names, choice, threads)


def _in_parts(source: SourceNest, split: SplitSum, parts: int, threads: int, names: NewNames) -> Rewritten | None:
    return split_over_grid(source, names, split, parts, threads)


def _may_be_team(threads: int, gpu: Gpu) -> bool:
    """Whether so many threads can share a row: before Kepler no lane reads another's registers."""
    return gpu.has_warp_shuffles and threads in TEAMS and threads <= gpu.occupancy.max_threads_per_block


def _is_power_of_two(number: int) -> bool:
    return number > 1 and number & (number - 1) == 0
