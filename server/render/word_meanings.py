"""What each verdict's word means, for a legend: one line each, for a reader who knows no GPUs."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.advice.worth import Word

MEANINGS: Mapping[Word, str] = {
    "worth it": "at least 1.2 times faster, as rounded, than the best of the CPU, the copies included",
    "if data stays": "that much faster, but for the copies",
    "size decides": "one size is a guess: from some value on it may be worth it",
    "all cores": "the code uses one core, and the CPU's other cores gain as much as a GPU or more",
    "on the GPU": "its directives have it there already",
    "little gain": "about as fast as the CPU",
    "not worth it": "slower, or one core needs no longer than starting two kernels takes",
    "nothing to run": "no iterations at the sizes in force",
    "sizes unknown": "parallel, but two or more sizes are guesses, "
    "or one leads to more memory or time than can be meant",
    "if promised": "parallel if you promise what is asked for",
    "not parallel": "an iteration needs what an earlier one computed; the sentence names the two lines",
    "not known": "could not be decided, with the reason",
    "not decided": "it uses what no file in sight declares: a missing header, a macro",
}
"""As docs/verdict.md has them."""
