"""What a menu says of a fix: what it does, which launch it writes, what that is predicted to gain."""

from dataclasses import replace

import pytest
from support.fix_fixtures.contexts import contexts
from warplens.analysis.advice.worth import worth_of
from warplens.analysis.models.sizes.break_even import break_even
from warplens.analysis.ports.catalogue import FIXES
from warplens.analysis.ports.fix import AS_PREDICTED, TITLE_LENGTH, FixContext, OfferedFix
from warplens.analysis.ports.port_effect import PortEffect
from warplens.server.render.fix_menu import fix_menu
from warplens.server.render.fix_title import effect_text, fix_title
from warplens.server.render.worth_sentence import worth_sentence

SAID = "// warplens: n = 4096\n"
SCALE = "void scale(int n, float *restrict x) {\n    for (int i = 0; i < n * n; i++)\n        x[i] *= 2;\n}\n"
ON_ALL_CORES = SCALE.replace("    for", "#pragma omp parallel for\n    for")
ON_THE_GPU = SCALE.replace(
    "    for", "#pragma omp target teams distribute parallel for thread_limit(32) map(tofrom: x[0:n*n])\n    for"
)
WHERE_LOST = "void add(double *restrict x) {\n    for (int i = 0; i < 3000; i++)\n        x[i] += 1;\n}\n"


def context_of(source: str, analyse_c) -> FixContext:
    (context,) = contexts(source, analyse_c(source))
    return context


def offers_of(context: FixContext) -> dict[str, OfferedFix]:
    ports = (fix for fix in FIXES if fix.code in {"openmp", "openacc", "cuda"})
    return {offer.code: offer for fix in ports for offer in fix.offer(context) if not offer.refusal}


def test_the_effect_is_the_one_of_the_sentence(analyse_c) -> None:
    """Where a port writes the recommended launch; the sentence rounds alike."""
    context = context_of(SAID + SCALE, analyse_c)
    worth = worth_of(context.evaluation)
    assert worth.resident is not None
    assert worth.copied is not None
    for offer in offers_of(context).values():
        assert offer.effect is not None
        assert offer.effect.resident == pytest.approx(worth.resident.value, rel=0.06)
        assert offer.effect.copied == pytest.approx(worth.copied.value, rel=0.06)
    title = fix_title(offers_of(context)["openmp"], None)
    assert title.startswith("Move to the GPU with OpenMP, block ")
    faster = title.partition("copies, ")[2].removesuffix(" if data stays")
    assert faster in worth_sentence(context.evaluation, lambda _: 1)


def test_what_leaves_all_cores_says_so_and_is_held_against_them(analyse_c) -> None:
    context = context_of(SAID + ON_ALL_CORES, analyse_c)
    offer = offers_of(context)["openmp"]
    cpu, offload = context.evaluation.cpu_time, context.evaluation.offload
    assert offer.title == "Move from all cores to GPU (OpenMP)"
    assert offer.effect is not None
    assert offload is not None
    assert offer.effect.copied == pytest.approx(cpu.all_cores_s / offload.cold_s, rel=0.06)
    assert "slower with copies" in fix_title(offer, None)
    rule = next(fix for fix in FIXES if fix.code == "openmp")
    assert "leaves the CPU's cores" in rule.edit(context, offer, AS_PREDICTED).note


def test_an_update_on_the_gpu_is_held_against_the_launch_of_now(analyse_c) -> None:
    offer = offers_of(context_of(SAID + ON_THE_GPU, analyse_c))["openmp"]
    assert offer.title == "Update the OpenMP directives"
    assert offer.effect is not None
    assert offer.effect.copied is None
    assert offer.effect.resident >= 1
    assert "than now" in fix_title(offer, None) or "as now" in fix_title(offer, None)


def test_of_a_guessed_size_it_says_where_it_begins(analyse_c) -> None:
    context = context_of(SCALE, analyse_c)
    offer = offers_of(context)["openmp"]
    assert fix_title(offer, None).endswith(": n decides what it gains")
    found = break_even(context.evaluation)
    assert found is not None
    start = found.beats_cpu_from("resident")
    assert start is not None
    assert "faster " in fix_title(offer, found)
    assert ("at any n" if start == found.least else "from n = ") in fix_title(offer, found)
    assert not offer.is_slower


@pytest.mark.parametrize(("wins_at", "said"), [((), "slower at any n"), ((1,), "faster only at some n, if data stays")])
def test_a_guess_that_leaves_no_size_to_begin_with(wins_at: tuple[int, ...], said: str, analyse_c) -> None:
    """Slower at any size is slower: last, though at the guess nobody knows."""
    context = context_of(SCALE, analyse_c)
    offer, found = offers_of(context)["openmp"], break_even(context.evaluation)
    assert found is not None
    cpu_s = tuple(2.0 if at in wins_at else 0.5 for at in range(3))
    curve = replace(
        found.curve, sizes=(1, 2, 3), gpu_resident_s=(1.0,) * 3, one_core_s=cpu_s, all_cores_s=cpu_s, gpu_cold_s=cpu_s
    )
    never = replace(found, wins=tuple(replace(each, size=None) for each in found.wins), curve=curve)
    other = OfferedFix("restrict", "Add `restrict`", 0)
    menu = fix_menu([offer, other], never)
    assert {entry.offer.code: entry.title.partition(": ")[2] for entry in menu} == {"openmp": said, "restrict": ""}
    assert [entry.is_slower for entry in menu] == [False, not wins_at]
    assert (menu[-1].offer == offer) == (not wins_at)


def test_what_is_on_the_gpu_has_no_size_from_which_it_beats_the_cpu(analyse_c) -> None:
    context = context_of(ON_THE_GPU, analyse_c)
    offer = offers_of(context)["openmp"]
    assert fix_title(offer, break_even(context.evaluation)).endswith(": n decides what it gains")


def test_several_guesses_claim_nothing(analyse_c) -> None:
    source = SCALE.replace("int n", "int n, int m").replace("n * n", "n * m")
    for offer in offers_of(context_of(source, analyse_c)).values():
        assert offer.effect is None
        assert "faster" not in fix_title(offer, None)
        assert "slower" not in fix_title(offer, None)


def test_what_makes_it_slower_comes_last(analyse_c) -> None:
    offers = offers_of(context_of(WHERE_LOST, analyse_c))
    assert all(offer.is_slower for offer in offers.values())
    assert all("slower" in fix_title(offer, None) for offer in offers.values())
    unknown = OfferedFix("restrict", "Add `restrict`", 0)
    mends = OfferedFix("clause", "Add `private(t)`", 0, findings=("WL103",))
    gains = OfferedFix("interchange", "Swap", 0, gain=3.0)
    refused = OfferedFix("split", "Split", 0, refusal="no")
    port = OfferedFix("openmp", "Move", 0, effect=PortEffect(12.0, 0.2))
    given = [*offers.values(), refused, unknown, gains, port, mends]
    listed = [entry.offer for entry in fix_menu(given, None)]
    assert listed[:4] == [mends, port, gains, unknown]
    assert listed[-1] == refused


@pytest.mark.parametrize("name", ["f", "a_function_with_a_name_that_is_long"])
@pytest.mark.parametrize("factor", [1.0, 0.00012345, 98765.4])
def test_titles_fit_a_menu(name: str, factor: float) -> None:
    offer = OfferedFix("cuda", f"Write CUDA to main_{name}.cu", 0, effect=PortEffect(factor, factor / 50))
    long_launch = replace(offer, launch="block 32x8, 16 outputs per thread (4x4), tile of a and b and 3 more kernels")
    assert len(fix_title(long_launch, None)) <= TITLE_LENGTH
    alike = replace(offer, effect=PortEffect(factor, factor))
    assert len(name) > 1 or fix_title(alike, None).endswith(effect_text(alike.effect))
