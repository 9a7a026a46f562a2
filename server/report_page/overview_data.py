"""What the page opens on: the time of all nests, what a GPU saves of it, and what each nest adds to that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warplens.analysis.advice.stakes import Stake, together, total_gain_s, total_now_s
from warplens.analysis.advice.worth import WORTH
from warplens.server.json.visible import visible_json
from warplens.server.render.stakes_sentence import LISTED, NOT_WORTH, counting_sentence, stakes_sentence
from warplens.server.render.word_meanings import MEANINGS

Json = dict[str, Any]


def overview_data(files: Sequence[Json]) -> Json:
    """`overview`, what the verdicts' `words` mean, and the `files` with the stakes of their nests as JSON values.

    Of a nest `stake` is None without an evaluation, or without a time that anybody can know; else `now_s` and `gain_s`
    are of all its runs. The time is in the total unless it is `part_of` another function's nests; the gain where the
    loop is worth porting, unless it `is_ported_with` such a nest.
    """
    stakes = together([nest["stake"] for file in files for nest in file["nests"] if nest.get("stake") is not None])
    following = iter(stakes)
    nests = sum(len(file["nests"]) for file in files)
    return {
        "overview": {
            "sentence": stakes_sentence(stakes, nests),
            "counting": counting_sentence(stakes, nests),
            "now_s": total_now_s(stakes),
            "gain_s": total_gain_s(stake for stake in stakes if stake.worth.word in WORTH),
            "worth_words": list(WORTH),
            "listed_words": list(LISTED),
            "decided_words": [*LISTED, *NOT_WORTH],
        },
        "words": dict(MEANINGS),
        "files": [
            {
                **file,
                "nests": [
                    {**nest, "stake": None if nest.get("stake") is None else _stake(next(following), stakes)}
                    for nest in file["nests"]
                ],
            }
            for file in files
        ],
    }


def _stake(stake: Stake, stakes: Sequence[Stake]) -> Json | None:
    if not stake.has_time:
        return None
    users = (each.function for each in stakes if stake.function in each.inlined and each.function != stake.function)
    part_of = next(users, None) if stake.is_part else None
    named: Json = visible_json({"part_of": part_of})
    return {
        "now_s": stake.now_s,
        "gain_s": stake.gain_s,
        "runs": stake.runs,
        "is_ported_with": stake.is_ported_with,
        **named,
    }
