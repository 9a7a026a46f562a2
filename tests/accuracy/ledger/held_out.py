"""What fitted constants buy: the kernels that were measured on the GPUs that have some, predicted without them.

Some constants of the profiles were fitted to a part of the measurements that the ledger holds the models to. Here each
of them is replaced, all of a GPU at once, by what the profile would have had without these measurements:
- "sibling": the value of the GPU that is most like it, which was fitted to that GPU's measurements only. Rates of a
  multiprocessor stay what they are per clock.
- "no fit": what profiles of GPUs have that nobody measured: a line per clock, L1 as fast as shared memory, L2 twice as
  fast as DRAM could be at most, of DRAM's peak the share that a GTX 580 reaches, blocks that start in no time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from accuracy.ledger.block_choice import choose
from accuracy.ledger.cases import case_of
from accuracy.ledger.errors import errors
from accuracy.ledger.groups import by_block
from accuracy.ledger.kernels import kernel_of
from accuracy.ledger.measurement import Measurement
from accuracy.ledger.predictions import Predicted, is_plain
from accuracy.ledger.published import published
from accuracy.real_c.tables import table
from warplens.analysis.gpu.machine.gpu import Gpu, ProvenanceKind
from warplens.analysis.models.resios.kernel_time import kernel_time_s
from warplens.analysis.models.results.kernel_family import family_of
from warplens.hwprofiles.build_gpu import build_gpu
from warplens.hwprofiles.loader import load_gpu, load_profile
from warplens.hwprofiles.profile import Profile

BEGIN = "<!-- held out: begin, written by tests/accuracy/ledger/report.py -->"
END = "<!-- held out: end -->"

SIBLINGS: Mapping[str, str] = {"k20": "gtx680", "gtx680": "k20", "gtx980": "gtx680"}
"""The two Kepler GPUs, and of Maxwell the generation before it. An RTX A4000 has none that was fitted."""

MODEL = "resios"
_DRAM_SHARE_OF_A_GTX_580 = 174.97 / 192.4
_FOLLOWS: Mapping[str, tuple[str, ...]] = {"gtx980": ("l2.bandwidth_gb_per_s",)}
"""Keys whose value was derived from a fitted one."""


def fitted_keys(profile: Profile) -> tuple[str, ...]:
    """Keys of what was fitted, or follows from it, for kernels; the host's link is no part of their time."""
    keys = [key for key, entry in profile.entries.items() if entry.kind == "model_fit" and not key.startswith("host.")]
    return (*keys, *_FOLLOWS.get(profile.id, ()))


def without_fits(gpu: str) -> Gpu:
    """The GPU with what an unmeasured one has; raises KeyError for a fitted key that has no such value."""
    profile = load_profile(gpu)
    peak = profile.number("dram.theoretical_bandwidth_gb_per_s")
    plain: Mapping[str, float | None] = {
        "device.block_launch_cycles": None,
        "l1.bytes_per_clk_per_sm": profile.number("shared.bytes_per_clk_per_sm"),
        "l1.lines_per_clk_per_sm": 1.0,
        "l2.bandwidth_gb_per_s": 2 * peak,
        "l2.partial_stores_g_per_s": None,
        "dram.bandwidth_gb_per_s": _DRAM_SHARE_OF_A_GTX_580 * peak,
    }
    return _with_values(profile, {key: plain[key] for key in fitted_keys(profile)}, "assumed")


def with_sibling(gpu: str) -> Gpu:
    """The GPU with its sibling's constants in the place of its own fitted ones."""
    profile, sibling = load_profile(gpu), load_profile(SIBLINGS[gpu])
    values: dict[str, float | None] = {}
    for key in fitted_keys(profile):
        scale = 1.0
        if key == "l2.bandwidth_gb_per_s":
            scale = _sm_cycles_per_s(profile) / _sm_cycles_per_s(sibling)
        elif key == "dram.bandwidth_gb_per_s":
            peak = "dram.theoretical_bandwidth_gb_per_s"
            scale = profile.number(peak) / sibling.number(peak)
        values[key] = scale * sibling.number(key)
    return _with_values(profile, values, "measured_proxy")


def held_out() -> str:
    """The table, between the markers."""
    fitted = sorted({one.gpu for one in published() if fitted_keys(load_profile(one.gpu))})
    measured = [one for one in published() if one.gpu in fitted and is_plain(one)]
    cases = (
        _predict(measured, {gpu: load_gpu(gpu) for gpu in fitted}),
        _predict(measured, {gpu: with_sibling(gpu) for gpu in SIBLINGS}),
        _predict(measured, {gpu: without_fits(gpu) for gpu in fitted}),
    )
    rows: list[list[object]] = []
    for gpu in fitted:
        here = [[one for one in case if one.measured.gpu == gpu] for case in cases]
        families = sorted({_family(one.measured) for one in here[0]})
        for family in families:
            some = [[one for one in case if _family(one.measured) == family] for case in here]
            rows.append([gpu, family, len(some[0]), *map(_errors, some), *map(_block_choice, some)])
        rows.append([gpu, "all", len(here[0]), *map(_errors, here), *map(_block_choice, here)])
    kinds = ["fitted", "sibling", "no fit"]
    head = ["GPU", "family", "launches", *kinds, *(f"block, {kind}" for kind in kinds)]
    return "\n\n".join([BEGIN, table(head, rows, 2), END])


def _predict(measured: Iterable[Measurement], gpus: Mapping[str, Gpu]) -> list[Predicted]:
    return [
        Predicted(one, ((MODEL, kernel_time_s(case_of(one, gpus[one.gpu]))),)) for one in measured if one.gpu in gpus
    ]


def _family(measured: Measurement) -> str:
    return family_of(kernel_of(measured))


def _errors(predicted: Sequence[Predicted]) -> str:
    if not predicted:
        return "-"
    found = errors([one.ratio(MODEL) for one in predicted], ())
    return f"{found.ratio:.2f} ({100 * found.mape:.0f} %)"


def _block_choice(predicted: Sequence[Predicted]) -> str:
    rels = [choose(group, MODEL).rel for group in by_block(predicted).values()]
    return f"{sum(rels) / len(rels):.2f}" if rels else "-"


def _sm_cycles_per_s(profile: Profile) -> float:
    return profile.number("device.sm_count") * profile.number("device.sm_clock_mhz")


def _with_values(profile: Profile, values: Mapping[str, float | None], kind: ProvenanceKind) -> Gpu:
    entries = dict(profile.entries)
    for key, value in values.items():
        entry = entries.pop(key)
        if value is not None:
            entries[key] = replace(entry, value=value, kind=kind)
    return build_gpu(replace(profile, entries=entries))


if __name__ == "__main__":
    print(held_out())
