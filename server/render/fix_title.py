"""What a menu calls a fix: what it does, and what that is predicted to gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.analysis.ports.fix import TITLE_LENGTH, OfferedFix
from warplens.analysis.ports.port_effect import PortEffect
from warplens.analysis.text.rounded import round_ratio, size_text, speed_text
from warplens.server.render.card import Section
from warplens.server.render.visible_text import visible

REFUSED = "Fixes not offered"
WRITES_FILE = "cuda"
"""The code of the fix that writes a file beside the source."""
_NAMES = {"openmp": "OpenMP", "openacc": "OpenACC", WRITES_FILE: "CUDA"}


def fix_title(offer: OfferedFix, found: BreakEven | None) -> str:
    """The rule's own title, with what it gains where that is predicted; `found` is the nest's break-even, if known.

    Lists have it from fix_menu.py. The launch is in it where a menu has room.
    """
    title = visible(offer.title)
    if offer.gain is not None:
        return f"{title} ({gain_text(offer.gain)})"
    launch = f", {visible(offer.launch)}" if offer.launch else ""
    if offer.effect is None:
        return _first_that_fits(f"{title}{launch}", title)
    effect = effect_text(offer.effect, found)
    ends = (effect, *_shorter(offer.effect))
    return _first_that_fits(*(f"{start}: {end}" for end in ends for start in (f"{title}{launch}", title)))


def _first_that_fits(*texts: str) -> str:
    return next((text for text in texts if len(text) <= TITLE_LENGTH), texts[-1])


def _shorter(effect: PortEffect) -> tuple[str, ...]:
    """For long names: as the lens has it, and at last without how many times."""
    if effect.guess or effect.copied is None:
        return ()
    both = (effect.resident, effect.copied)
    stays, copied = map(speed_text, both)
    worded = ("faster" if each >= 1 else "slower" for each in both)
    return f"{stays} (copies: {copied})", "{} (copies: {})".format(*worded)


def effect_text(effect: PortEffect, found: BreakEven | None = None) -> str:
    """What a port gains, in round numbers; of a guessed size from which on, or that it decides.

    >>> effect_text(PortEffect(12.3, 0.26)), effect_text(PortEffect(12.3, 11.9)), effect_text(PortEffect(1.0, None))
    ('4x slower with copies, 12x faster if data stays', '12x faster, copies included', 'as fast as now')
    >>> effect_text(PortEffect(12.3, 0.26, "n"))
    'n decides what it gains'
    """
    if effect.guess:
        return _from_size(effect, found)
    stays = speed_text(effect.resident)
    if effect.copied is None:
        return f"{stays} {'as' if stays == 'as fast' else 'than'} now"
    copied = speed_text(effect.copied)
    return f"{copied}, copies included" if copied == stays else f"{copied} with copies, {stays} if data stays"


def _from_size(effect: PortEffect, found: BreakEven | None) -> str:
    """Where one size is guessed: the value from which on the GPU is faster."""
    name, starts = c_name(effect.guess), starts_of(effect, found)
    match starts:
        case None:
            return f"{name} decides what it gains"
        case "never":
            return f"slower at any {name}"
        case "only at some":
            return f"faster only at some {name}, if data stays"
        case "at any":
            return f"faster at any {name} if data stays"
        case int(size):
            current = size if found is None else found.current
            return f"faster from {name} = {size_text(size, current)} if data stays"


def starts_of(
    effect: PortEffect | None, found: BreakEven | None
) -> int | Literal["never", "only at some", "at any"] | None:
    """Of a guessed size: from which on a port is faster than the CPU, with its data on the GPU.

    None where no size is guessed, or nobody knows: what is on the GPU already has no CPU to beat.
    """
    if effect is None or not effect.guess or effect.copied is None:
        return None
    if found is None or not found.wins or not found.is_guessed or found.name != effect.guess:
        return None
    start = found.beats_cpu_from("resident")
    if start is None:
        return "only at some" if found.beats_cpu_somewhere("resident") else "never"
    return "at any" if start == found.least else start


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
    ('kernel 3x faster', 'kernel as fast as now', 'kernel 2x slower')
    """
    if gain <= 0:
        return ""
    return f"kernel {speed_text(gain)}{' as now' if round_ratio(gain) == 1 else ''}"
