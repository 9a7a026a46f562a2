"""`warplens/compareGpus`: a nest on several GPUs side by side (docs/compare.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from warplens.hwprofiles.loader import load_gpu
from warplens.hwprofiles.profile import ProfileError
from warplens.server.background.gpu_comparisons import nest_on_gpus
from warplens.server.compared_gpus.default_gpus import COMPARED
from warplens.server.compared_gpus.job import smallest_row
from warplens.server.features.asked_nest import NoNestError, asked_document, asked_nest, unchanged_nest
from warplens.server.json.compared_gpus import row_as_json
from warplens.server.render.columns import aligned
from warplens.server.render.compared_table import compared_notes, compared_table, smallest_sentence
from warplens.server.settings.own_profiles import profile_name
from warplens.server.worker.process import AnalysisFailedError, AnalysisTimedOutError

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

Json = dict[str, Any]
_MOST_GPUS = 100


async def compare_gpus(ls: WarplensServer, params: object) -> Json:
    """Answer a question; what a client did wrong is part of the answer.

    Raises JsonRpcException: the nest was edited since it was analysed.
    """
    asked = params if isinstance(params, dict) else {}
    try:
        document = asked_document(ls, asked)
        nest = asked_nest(document, asked)
    except NoNestError as why:
        return _answer(problems=[str(why)])
    problems: list[str] = []
    given = dict(_gpus(ls, asked.get("gpus"), problems))
    data: Literal["cold", "resident"] = "resident" if asked.get("data") == "resident" else "cold"
    limit_s = ls.configuration.known(document.uri).analysis_time_limit_s
    try:
        rows = await nest_on_gpus(ls, nest.packed, given, data, limit_s)
    except AnalysisTimedOutError as ended:
        return _answer(problems=[*problems, f"the comparison was ended after {ended.limit_s:g} s"])
    except AnalysisFailedError as failed:
        return _answer(problems=[*problems, f"the comparison failed: {failed}"])
    rows = tuple(replace(row, gpu=given.get(row.gpu, row.gpu)) for row in rows)
    unchanged_nest(ls, document, nest)
    if not rows:
        problems.append("the loop can't run on a GPU, or has nothing to run at its sizes")
        return _answer(problems=problems)
    notes = list(compared_notes(rows))
    smallest, reaches_s = None, asked.get("reachesSeconds")
    if isinstance(reaches_s, int | float) and not isinstance(reaches_s, bool):
        smallest = smallest_row(rows, reaches_s, data)
        notes.append(smallest_sentence(smallest, reaches_s, data, len(rows)))
    return {
        **_answer(problems=problems),
        "data": data,
        "gpus": [row_as_json(row) for row in rows],
        "notes": notes,
        "smallest": None if smallest is None else smallest.gpu,
        "text": "\n".join(aligned(compared_table(rows))),
    }


def _answer(problems: list[str]) -> Json:
    return {"data": "cold", "gpus": [], "notes": [], "smallest": None, "text": "", "problems": problems}


def _gpus(ls: WarplensServer, named: object, problems: list[str]) -> Iterator[tuple[str, str]]:
    """What the GPUs are loaded by that a client names, and the names; a client's request names no file to read."""
    if named is None:
        yield from ((each, each) for each in COMPARED)
        return
    if not isinstance(named, list) or len(named) > _MOST_GPUS:
        problems.append(f"`gpus` is no list of at most {_MOST_GPUS} names")
        return
    for each in named:
        if not isinstance(each, str) or each.endswith(".toml"):
            problems.append("`gpus` has something that is no name of a profile")
            continue
        name = profile_name(each, ls.roots())
        try:
            load_gpu(name)
        except ProfileError as error:
            problems.append(str(error))
        else:
            yield name, each
