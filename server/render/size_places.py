"""Where the statements stand that sizes follow from: behind the sentences that say these sizes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from warplens.server.render.card import Card, Section
from warplens.server.render.loop_card import ASSUMED

if TYPE_CHECKING:
    from warplens.analysis.engine.program_sizes import SizeSource, SizeSources
    from warplens.analysis.models.results.evaluation import NestEvaluation


def with_places(card: Card, evaluation: NestEvaluation, sources: SizeSources, root: str) -> Card:
    """The card of a loop, each size that the program gives with the places of its statements.

    `root` is the folder that paths are shown from; files outside of it are shown with their whole path.
    """
    by_name = dict(sources)
    sizes = (a for a in evaluation.assumptions if a.kind == "size" and a.origin == "program")
    places = {a.text: [place_text(one, root) for one in by_name.get(a.subject, ())] for a in sizes}
    if not any(places.values()):
        return card
    sections = (_placed(each, places) if each.title == ASSUMED else each for each in card.sections)
    named = ((place_text(one, root), one) for _, listed in sources for one in listed)
    references = {text: f"{PurePath(one.path).as_uri()}#L{one.line}" for text, one in _of_files(named)}
    return replace(card, sections=tuple(sections), references=tuple(references.items()))


def place_text(source: SizeSource, root: str) -> str:
    """File and line, the file as it is called from a folder around it."""
    path = source.path
    if root and PurePath(path).is_relative_to(root):
        path = os.path.relpath(path, root)
    return f"{path}:{source.line}"


def _placed(section: Section, places: dict[str, list[str]]) -> Section:
    def item(text: str) -> str:
        found = dict.fromkeys(places.get(text, ()))
        return f"{text} From {', '.join(found)}." if found else text

    return replace(section, items=tuple(map(item, section.items)))


def _of_files(named: Iterable[tuple[str, SizeSource]]) -> Iterator[tuple[str, SizeSource]]:
    """Those that a link can lead to."""
    return (each for each in named if PurePath(each[1].path).is_absolute())
