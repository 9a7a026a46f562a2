"""How severe a finding is, by the share of its file's predicted time that its nest takes.

What a rule says is the most that a finding can be, wrong code apart: a race is one whatever time it takes.
"""

from __future__ import annotations

from warplens.analysis.advice.finding import SEVERITY_ORDER, Finding, Severity
from warplens.analysis.advice.stakes import Stake
from warplens.analysis.advice.worth import is_gain

WARNING_SHARE = 0.1
"""From this share of the file's predicted time on a finding may be a warning."""

INFORMATION_SHARE = 0.02
"""From this share on a finding may be information."""

LEAST_SHARE = 0.001
"""What takes less of it is set-up: of a nest whose sizes are known nothing is said."""

_UNDECIDED = "WL102"
_ABOUT_DEPENDENCES = frozenset(("WL101", _UNDECIDED))
_NO_PORT = frozenset(("not worth it", "all cores", "nothing to run"))


def severity_of(finding: Finding, stake: Stake, total_s: float, worthwhile_s: float) -> Severity | None:
    """Severity of a finding of a nest, None where it is none at all; `total_s` is the file's time that has a ground.

    `worthwhile_s` is the time of a nest that is worth speaking of.
    """
    if finding.is_wrong_code:
        return finding.severity
    most = _most_severe(stake, total_s, worthwhile_s)
    if most is None:
        return None
    if finding.code == _UNDECIDED:
        return "information" if most == "warning" else "hint"
    if not _would_change_something(finding, stake):
        return "hint"
    return max(finding.severity, most, key=SEVERITY_ORDER.__getitem__)


def _most_severe(stake: Stake, total_s: float, worthwhile_s: float) -> Severity | None:
    """The most that a finding of a nest can be, None where the nest is set-up."""
    time_s = stake.now_s if stake.has_time else stake.worth.now_s * stake.runs
    if time_s < worthwhile_s:  # at a guessed size: those of known ones are hidden before
        is_all_there_is = total_s < worthwhile_s and time_s >= INFORMATION_SHARE * total_s
        return "information" if is_all_there_is else "hint"
    if not stake.has_time:
        return "information"
    if stake.now_s < LEAST_SHARE * total_s and not stake.worth.grounds.guesses:
        return None
    if stake.now_s < INFORMATION_SHARE * total_s:
        return "hint"
    return "information" if stake.now_s < WARNING_SHARE * total_s else "warning"


def _would_change_something(finding: Finding, stake: Stake) -> bool:
    """Whether it gains something, and the mended nest is for a GPU: it runs there, is worth it, or is so then."""
    worth = stake.worth
    if finding.gain is not None and not is_gain(finding.gain):
        return False
    if worth.now == "GPU" or worth.word not in _NO_PORT or finding.code in _ABOUT_DEPENDENCES:
        return True
    return finding.gain is not None and worth.resident is not None and is_gain(worth.resident.value * finding.gain)
