"""From which size the GPU wins, in words: never at odds with the size in force."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from warplens.analysis.models.sizes.break_even import BreakEven, Cores, Data, WinsFrom
from warplens.analysis.models.sizes.size_curve import SizeCurve
from warplens.analysis.text.rounded import size_text
from warplens.server.render.break_even_text import break_even_rows, break_even_starts
from warplens.server.render.headline import lens_end

End = int | None
NO_CURVE = SizeCurve((), (), (), (), (), ())


def wins(
    data: Data, cores: Cores, size: End, earliest: End | str = "as size", latest: End | str = "as size"
) -> WinsFrom:
    early, late = (size if isinstance(end, str) else end for end in (earliest, latest))
    return WinsFrom(data, cores, size, early, late)


def found(resident: End, cold: End, *against_all: WinsFrom, current: int = 1024) -> BreakEven:
    of_one = (wins("resident", "one core", resident), wins("cold", "one core", cold))
    of_all = against_all or (wins("resident", "all cores", None), wins("cold", "all cores", None))
    return BreakEven(
        "n", current, (("m", 100),), 1, 50_700, "device memory", (*of_one, *of_all), has_band=True, curve=NO_CURVE
    )


@pytest.mark.parametrize(
    ("one", "every", "end"),
    [(79, 303, " from 300"), (303, 79, " from 300"), (1, 1, " any"), (79, None, " never"), (None, None, " never")],
)
def test_the_lens_of_a_guess_ends_with_the_size_from_which_it_beats_one_core_and_all(
    one: End, every: End, end: str
) -> None:
    against_all = (wins("resident", "all cores", every), wins("cold", "all cores", None))
    guessed = replace(found(one, None, *against_all), is_guessed=True)
    assert lens_end(guessed) == end
    assert lens_end(replace(guessed, is_guessed=False)) == ""


def test_of_another_gpu_it_begins_where_it_beats_one_core_and_all() -> None:
    against_all = (wins("resident", "all cores", 303), wins("cold", "all cores", None))
    assert break_even_starts(found(79, 79, *against_all)) == ("from n = 300", "never")
    assert break_even_starts(replace(found(1, 1), wins=(), why_not="no size to vary")) == ("no size to vary",)


def test_nothing_is_added_before_it_is_known_or_where_no_size_is_varied() -> None:
    fixed = replace(found(None, None), wins=(), name="", why_not="no size to vary")
    assert lens_end(None) == ""
    assert lens_end(replace(fixed, is_guessed=True)) == ""
    assert break_even_rows(None, 32) == ()
    assert break_even_rows(fixed, 32) == (("faster", "no size to vary"),)


def test_rows_have_both_cases_with_their_bands_and_what_was_looked_at() -> None:
    against_all = (wins("resident", "all cores", 81, 77, 1445), wins("cold", "all cores", None))
    first, second = break_even_rows(found(79, 303, *against_all), 32)
    assert first == ("faster", "from `n` = 79, with copies from 300 vs one core")
    assert second == (
        "",
        "from `n` = 81 (77 to 1400), with copies never vs 32 cores; `m` = 100; `n` up to 50 000 (device memory)",
    )


def test_a_machine_with_one_core_has_one_row() -> None:
    ((name, text),) = break_even_rows(found(79, 303), 1)
    assert name == "faster"
    assert text.startswith("from `n` = 79, with copies from 300 vs one core; `m` = 100; ")


@pytest.mark.parametrize(
    ("size", "earliest", "latest", "text"),
    [
        (100, 60, 300, "from `n` = 100 (60 to 300)"),
        (100, 60, None, "from `n` = 100 (60 at the earliest, at worst never)"),
        (100, 100, None, "from `n` = 100 (at worst never)"),
        (None, 5000, None, "never (5000 at the earliest)"),
        (1, 1, 9, "at every `n` (1 to 9)"),
        # Such kernels were slower than predicted, all of them.
        (100, 150, 300, "from `n` = 100 (150 to 300)"),
    ],
)
def test_an_end_of_the_band_may_be_missing(size: End, earliest: End, latest: End, text: str) -> None:
    all_cores = (wins("resident", "all cores", size, earliest, latest), wins("cold", "all cores", None))
    assert break_even_rows(found(7, 8, *all_cores), 4)[1][1].startswith(f"{text}, with copies never vs 4 cores; ")


def test_several_other_sizes_are_not_listed() -> None:
    many = replace(found(79, 303), others=(("k", 1), ("l", 2), ("m", 3)))
    assert "; other sizes as they are; `n` up to" in break_even_rows(many, 4)[1][1]


def test_winning_here_but_not_from_here_on_is_said() -> None:
    # Where the CPU's caches crowd at the power of two, and only there.
    curve = SizeCurve((1023, 1024, 5001), (9, 9, 9), (2.0, 2.0, 2.0), (1.0, 4.0, 8.0), (1, 1, 1), ())
    there = replace(found(5001, None), curve=curve)
    assert break_even_rows(there, 4)[0][1] == "from `n` = 5000 (also at 1024), with copies never vs one core"
    only = replace(found(None, None), curve=replace(curve, one_core_s=(1.0, 4.0, 1.0)))
    assert break_even_rows(only, 4)[0][1].startswith("only at some `n` (also at 1024)")


def test_names_are_those_of_the_source() -> None:
    second = replace(found(79, 303), name="n'2")
    assert break_even_rows(second, 4)[0][1].startswith("from `n` = 79")


@given(st.integers(1, 2**63 - 1), st.integers(-3, 3))
@example(9_999_999_999_999_999, 0)
def test_a_rounded_size_stays_on_its_side_of_the_size_in_force(current: int, apart: int) -> None:
    size = max(2, current + apart)
    digits = size_text(size, current).replace(" ", "")
    if "e" not in digits:
        assert (int(digits) <= current) == (size <= current)
