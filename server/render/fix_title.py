"""What a menu calls a fix: what it does, and what that is predicted to gain."""

from __future__ import annotations

from warplens.analysis.ports.fix import OfferedFix
from warplens.server.render.launch_words import slower_text


def fix_title(offer: OfferedFix) -> str:
    """The rule's own title, with the gain where one is predicted."""
    return offer.title if offer.gain is None else f"{offer.title} ({gain_text(offer.gain)})"


def gain_text(gain: float) -> str:
    """What the nest's GPU time is predicted to become, as a factor of what it is.

    >>> gain_text(3.2), gain_text(1.0), gain_text(0.5)
    ('predicted 3.20x faster than now', 'predicted as fast as now', 'predicted 2.00x slower than now')
    """
    return f"predicted {slower_text(1 / gain, 'now')}" if gain > 0 else ""
