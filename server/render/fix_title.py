"""What a menu calls a fix: what it does, and what that is predicted to gain."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ports.fix import OfferedFix
from warplens.server.render.card import Section
from warplens.server.render.launch_words import slower_text
from warplens.server.render.visible_text import visible

REFUSED = "Fixes not offered"
WRITES_FILE = "cuda"
"""The code of the fix that writes a file beside the source."""
_NAMES = {"openmp": "OpenMP", "openacc": "OpenACC", WRITES_FILE: "CUDA"}


def fix_title(offer: OfferedFix) -> str:
    """The rule's own title, with the gain where one is predicted."""
    title = visible(offer.title)
    return title if offer.gain is None else f"{title} ({gain_text(offer.gain)})"


def reason_text(offer: OfferedFix) -> str:
    """Why nothing can be written, or what is suggested instead; empty where it can.

    >>> reason_text(OfferedFix("transpose", "Store ...", 0, refusal="it pays", is_suggestion=True))
    'suggestion: it pays'
    """
    return visible(f"suggestion: {offer.refusal}" if offer.is_suggestion else offer.refusal)


def fix_name(offer: OfferedFix) -> str:
    """A fix in a word or two.

    >>> fix_name(OfferedFix("openmp", "Insert ...", 0)), fix_name(OfferedFix("pad", "Pad ...", 0, "a"))
    ('OpenMP', 'pad `a`')
    """
    name = _NAMES.get(offer.code, offer.code.replace("-", " "))
    return f"{name} `{offer.variant}`" if offer.variant else name


def refused_fixes(offers: Sequence[OfferedFix], loop: NodeId) -> Section:
    """What can't be written for a loop, those with one reason together."""
    names: dict[str, list[str]] = {}
    for offer in offers:
        if offer.loop == loop and offer.refusal:
            names.setdefault(reason_text(offer), []).append(fix_name(offer))
    return Section(REFUSED, tuple(f"{', '.join(fixes)}: {reason}." for reason, fixes in names.items()))


def gain_text(gain: float) -> str:
    """What the nest's GPU time is predicted to become, as a factor of what it is.

    >>> gain_text(3.2), gain_text(1.0), gain_text(0.5)
    ('predicted 3.20x faster', 'predicted as fast as now', 'predicted 2.00x slower')
    """
    return f"predicted {slower_text(1 / gain, 'now').removesuffix(' than now')}" if gain > 0 else ""
