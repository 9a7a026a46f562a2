"""Rows and teams as directives say them: a band of loops for the teams, loops inside of them for a team's threads.

OpenMP: `teams distribute` with `parallel for` inside. OpenACC: `gang` with `vector` inside. What stands between the
loops is run once for a team, and a team waits where a loop of its threads begins and where it ends.

Source: OpenMP 5.2, 10.2 (teams), 11.6 (distribute), 10.1 (parallel: its implicit barrier); OpenACC 3.3, 2.9.2 to 2.9.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.loop_directive import LoopDirective
from warplens.analysis.ir.nest import Loop, loops_of, walk_statements
from warplens.analysis.mapping.candidate_mappings import TeamChoice, team_choices, team_rewritten
from warplens.analysis.mapping.mapped_nest import Rewritten
from warplens.analysis.mapping.moved_values import header_names
from warplens.analysis.mapping.nested_rows import rows_of
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.spread_team import may_be_spread

_GANG, _LANES = re.compile(r"\bgang\b"), re.compile(r"\bvector\b")


def directive_choices(source: SourceNest, kernel: Kernel) -> tuple[TeamChoice, ...]:
    """Those of a kernel's team choices whose rows are one rectangle without anything between their loops."""
    return tuple(
        one for one in team_choices(source, kernel) if one.rows.loops[0].id == kernel.root and _is_rectangle(one)
    )


def said_choice(source: SourceNest, kernel: Kernel) -> TeamChoice | None:
    """What directives above the kernel's loops say themselves; None where they say no team per row."""
    root = next(loop for loop in loops_of(source.nest) if loop.id == kernel.root)
    if root.directive is None or not _is_of_teams(root, root.directive):
        return None
    inside = [one for one in walk_statements(root.body) if isinstance(one, Loop)]
    spread = [one for one in inside if one.directive is not None and _is_of_threads(one, one.directive)]
    joined = sum(one.directive is not None and one.directive.id == root.directive.id for one in inside)
    if not spread or not source.is_parallel(root) or not all(may_be_spread(source, loop) for loop in spread):
        return None
    for rows in rows_of(source, root)[joined : joined + 1]:
        choice = TeamChoice(root.id, rows, frozenset(loop.id for loop in spread))
        return choice if _is_rectangle(choice) else None
    return None


def rewritten_as_directives(source: SourceNest, names: NewNames, choice: TeamChoice, threads: int) -> Rewritten | None:
    """The rows with a team of so many threads each, which waits before each loop that it shares; None: it can't be."""
    rewritten = team_rewritten(source, names, choice, threads)
    if rewritten is None:
        return None
    teams = ((loop, replace(team, barriers=team.barriers | frozenset(team.spread))) for loop, team in rewritten.teams)
    return replace(rewritten, teams=tuple(teams))


def row_loops(kernel: Kernel) -> tuple[NodeId, ...]:
    """The loops of a kernel that its teams have an iteration of each, outermost first."""
    lanes = None if kernel.team is None else kernel.team.lanes
    return tuple(each.loop for each in kernel.grid if each.loop != lanes)


def _is_rectangle(choice: TeamChoice) -> bool:
    loops = choice.rows.loops
    iterators = {loop.iterator for loop in loops}
    return not choice.rows.heads and not any(header_names(loop) & iterators for loop in loops[1:])


def _is_of_teams(loop: Loop, directive: LoopDirective) -> bool:
    """Whether it spreads the loop over teams, or gangs, and over nothing inside of them."""
    words = frozenset(directive.words.split())
    if directive.language == "omp":
        return "distribute" in words and words.isdisjoint(("parallel", "simd"))
    return _says(loop.pragmas, _GANG) and not _says(loop.pragmas, _LANES)


def _is_of_threads(loop: Loop, directive: LoopDirective) -> bool:
    words = frozenset(directive.words.split())
    if directive.language == "omp":
        return {"parallel", "for"} <= words and "teams" not in words
    return words == {"loop"} and _says(loop.pragmas, _LANES)


def _says(pragmas: Iterable[str], word: re.Pattern[str]) -> bool:
    return any(word.search(pragma) for pragma in pragmas if pragma.split()[1:2] == ["acc"])
