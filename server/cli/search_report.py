"""What `warplens search` shows of a ranking: text with a heat map, JSON, and the map's picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text
from warplens.analysis.advice.mapping_words import OWN_ORDER, mapping_text, shown_mapping
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.choice.time_range import range_of
from warplens.analysis.models.results.current_launch import DEFAULT_ORIGIN
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.analysis.text.quantities import count_text, time_text
from warplens.server.cli.find_loop import FoundKernel
from warplens.server.cli.heat_map_text import print_heat_map
from warplens.server.cli.layout import print_indented, print_list, print_table
from warplens.server.json.mapping import mappings_as_json, pin_as_json
from warplens.server.json.models import error_as_json, map_as_json, ranking_as_json
from warplens.server.json.version import JSON_VERSION
from warplens.server.render.amounts import plural
from warplens.server.render.headline import sizes_text
from warplens.server.render.heat_map import heat_map
from warplens.server.render.heat_map_svg import heat_map_svg
from warplens.server.render.launch_sentences import (
    ANY_LAUNCH,
    NUMBERS,
    any_will_do,
    order_sentences,
    other_sentences,
    ranking_table,
)
from warplens.server.render.launch_words import factor_text, launch_text
from warplens.server.render.mapping_words import mapping_table
from warplens.server.render.model_names import model_name


@dataclass(frozen=True, slots=True)
class Searched:
    """A file's kernel with its ranked launches, of which there is at least one."""

    path: str
    found: FoundKernel
    ranking: LaunchRanking

    @property
    def error(self) -> ModelError | None:
        """What was measured of the ranking's model on such kernels."""
        comparison = self.found.kernel.comparison
        return None if comparison is None else comparison.error_of(self.ranking.model)


def print_search(console: Console, searched: Searched, shown: int) -> None:
    """The table, the map, and last, so that a long table doesn't hide it, what follows from them."""
    found, ranking = searched.found, searched.ranking
    head = Text.assemble((f"{searched.path}:{found.line}:", "cyan"), (f" {found.function}()", "bold"))
    print_indented(console, head, Text(f" on {found.evaluation.gpu.name}{sizes_text(found.evaluation)}"), 2)
    print_indented(console, Text("  "), Text(_counted(ranking)), 4)
    if found.other_lines:
        lines = ", ".join(map(str, found.other_lines))
        note = f"The longest kernel of the loop; the others start at {lines}, name such a line for its launches."
        print_indented(console, Text("  "), Text(note), 4)
    print_mappings(console, found.evaluation)
    table = ranking_table(ranking, shown)
    print_table(console, table, 4, {at for at, name in enumerate(table[0]) if name in NUMBERS})
    rest = ranking.ranked[shown:]
    if rest:
        slowest = factor_text(rest[-1].time_s / ranking.best.time_s) if ranking.best.time_s > 0 else ""
        more = f"and {plural(len(rest), 'more launch')}, up to {slowest} (--top all)"
        print_indented(console, Text("    "), Text(more, "dim"), 4)
    console.print(Text("  Heat map: least time over shapes and shared arrays", "bold"))
    print_heat_map(console, heat_map(ranking), 4)
    print_list(console, "Result", _result(searched), 2)


def print_mappings(console: Console, evaluation: NestEvaluation) -> None:
    """The mappings that were tried, the fastest first, with their names for `--mapping`; the launches are of one."""
    rows = mapping_table(evaluation)
    if len(rows) > 2:  # the head and the source's own order
        console.print(Text("  Mappings", "bold"))
        print_table(console, rows, 4, {2})
        said = shown_mapping(evaluation) or OWN_ORDER
        print_indented(console, Text("    "), Text(f"Launches below: {said}."), 4)


def search_as_json(searched: Searched, shown: int) -> dict[str, Any]:
    """The ranking with where it is from."""
    evaluation = searched.found.evaluation
    return {
        "version": JSON_VERSION,
        "path": searched.path,
        "line": searched.found.line,
        "function": searched.found.function,
        "gpu": evaluation.gpu.id,
        "sizes": dict(evaluation.sizes),
        "mapping": evaluation.mapped and mapping_text(evaluation),
        "pin": pin_as_json(evaluation),
        "mappings": mappings_as_json(evaluation),
        "ranking": ranking_as_json(searched.ranking, shown),
        "error": None if (error := searched.error) is None else error_as_json(error),
        "map": map_as_json(searched.ranking.map),
    }


def search_svg(searched: Searched) -> str:
    """The heat map as a picture that says what it is of."""
    found, ranking = searched.found, searched.ranking
    title = f"{found.function}(), line {found.line}, on {found.evaluation.gpu.name}"
    what = "times the first launch's, least over shapes and shared arrays"
    note = f"Predicted time{sizes_text(found.evaluation)}: {what}; {_model(ranking)}"
    origin = "the default" if ranking.current_origin == DEFAULT_ORIGIN else ranking.current_origin
    current = f"{origin}, which itself takes {factor_text(ranking.current_slowdown)}"
    return heat_map_svg(heat_map(ranking), title, note, current)


def _model(ranking: LaunchRanking) -> str:
    return f"model {model_name(ranking.model)}"


def _counted(ranking: LaunchRanking) -> str:
    left_out = f", {count_text(ranking.possible)} of them possible" if ranking.possible < ranking.searched else ""
    return f"{plural(ranking.searched, 'launch')} searched{left_out}, {_model(ranking)}"


def _result(searched: Searched) -> tuple[str, ...]:
    ranking = searched.ranking
    best = ranking.best
    why = (f"Why: {reason.rstrip('. ')}." for reason in ranking.reasons)
    said = f"Best: {launch_text(best.launch)}, {time_text(best.time_s)}{_band(searched)}."
    if any_will_do(ranking, searched.found.evaluation.gpu):
        return (said, ANY_LAUNCH)
    return (said, *why, *order_sentences(ranking), *other_sentences(ranking))


def _band(searched: Searched) -> str:
    """Between which times nine of ten lay where the ranking's model was checked."""
    error, ranking = searched.error, searched.ranking
    if error is None or any_will_do(ranking, searched.found.evaluation.gpu):
        return ""
    found = range_of(ranking.best.time_s, error)
    return f" (9 of 10 such launches: {time_text(found.least_s)} to {time_text(found.most_s)})"
