"""What each verdict's word means, for a legend: one line each, for a reader who knows no GPUs."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.advice.worth import Word

MEANINGS: Mapping[Word, str] = {
    "worth it": "faster on the GPU even with the copies there and back",
    "if data stays": "faster on the GPU where its data is there already, not with the copies",
    "little gain": "about as fast on the GPU as on the CPU",
    "all cores": "the CPU's cores gain as much as a GPU would, and the code uses one",
    "not worth it": "slower on the GPU, or too short to be worth a start",
    "size decides": "one size is guessed, and from some value on the GPU is faster",
    "sizes unknown": "parallel, but so many sizes are guessed that no time is known",
    "nothing to run": "no iteration is run at these sizes",
    "if promised": "parallel if you promise what the analysis cannot see",
    "not parallel": "an iteration needs what an earlier one wrote",
    "not known": "nobody can tell whether it is parallel",
    "not decided": "it uses what is declared nowhere in sight",
}
