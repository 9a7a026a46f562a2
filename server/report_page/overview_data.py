"""What the page opens on: the time of all nests, what a GPU saves of it, and what each nest adds to that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warplens.analysis.advice.stakes import Stake, together, total_gain_s, total_now_s
from warplens.analysis.advice.worth import WORTH
from warplens.server.json.visible import visible_json
from warplens.server.render.next_step import STEP_MEANINGS
from warplens.server.render.stakes_order import stakes_order
from warplens.server.render.stakes_sentence import LISTED, NOT_WORTH, counting_sentence, stakes_sentence
from warplens.server.render.word_meanings import MEANINGS

Json = dict[str, Any]


def overview_data(files: Sequence[Json]) -> Json:
    """`overview`, what `words` of verdicts and `steps` mean, and the `files` with their nests' stakes as JSON values.

    Of a nest `stake` is None without an evaluation, or without a time that anybody can know; else `now_s` and `gain_s`
    are of all its runs. The time is in the total unless it is `part_of` another function's nests; the gain where the
    loop is worth porting, unless it `is_ported_with` such a nest.
    """
    known = [(nest.get("stake"), file["path"]) for file in files for nest in file["nests"]]
    stakes = together([stake.in_file(path) for stake, path in known if stake is not None])
    following = iter(stakes)
    seen = [[None if nest.get("stake") is None else next(following) for nest in file["nests"]] for file in files]
    ranks = _ranks(files, seen)
    return {
        "overview": {
            "sentence": stakes_sentence(stakes, len(ranks)),
            "counting": counting_sentence(stakes, len(ranks)),
            "now_s": total_now_s(stakes),
            "gain_s": total_gain_s(stake for stake in stakes if stake.worth.word in WORTH),
            "worth_words": list(WORTH),
            "listed_words": list(LISTED),
            "decided_words": [*LISTED, *NOT_WORTH],
        },
        "words": dict(MEANINGS),
        "steps": dict(STEP_MEANINGS),
        "files": [
            {
                **file,
                "nests": [
                    {**nest, "stake": stake and _stake(stake, stakes), "rank": ranks[at, within]}
                    for within, (nest, stake) in enumerate(zip(file["nests"], of_file, strict=True))
                ],
            }
            for at, (file, of_file) in enumerate(zip(files, seen, strict=True))
        ],
    }


def _ranks(files: Sequence[Json], stakes: Sequence[Sequence[Stake | None]]) -> dict[tuple[int, int], int]:
    """Places of all nests, by file and nest, in the order of `warplens check`."""
    keys = {
        (at, within): stakes_order(stake, nest.get("depth", 0))
        for at, (file, of_file) in enumerate(zip(files, stakes, strict=True))
        for within, (nest, stake) in enumerate(zip(file["nests"], of_file, strict=True))
    }
    return {place: rank for rank, place in enumerate(sorted(keys, key=lambda place: (*keys[place], *place)))}


def _stake(stake: Stake, stakes: Sequence[Stake]) -> Json | None:
    if not stake.has_time:
        return None
    users = (each.function for each in stakes if each.holds(stake))
    part_of = next(users, None) if stake.is_part else None
    named: Json = visible_json({"part_of": part_of})
    return {
        "now_s": stake.now_s,
        "gain_s": stake.gain_s,
        "runs": stake.runs,
        "is_ported_with": stake.is_ported_with,
        **named,
    }
