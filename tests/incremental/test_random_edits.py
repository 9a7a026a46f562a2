"""Whatever is edited, in whatever order: the report with a memory of all texts before is that of a fresh run.

A file is a list of pieces, each with several variants that change what others depend on: bodies that are looked into,
effects, extents, types, macros, guards, sizes at call sites, comments, conditionals, errors in the syntax.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples
from warplens.analysis.advice.noise_levels import LEVELS, Noise
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.measured.line_counts import FileCounts, LineCount
from warplens.analysis.measured.measured_counts import counted_functions


def read_pieces() -> dict[str, list[str]]:
    """Variants by the name of the piece."""
    pieces: dict[str, list[str]] = {}
    name = ""
    for line in (Path(__file__).parent / "pieces.txt").read_text().splitlines(keepends=True)[1:]:
        if line.startswith("%%"):
            name = line[2:].strip() or name
            pieces.setdefault(name, []).append("")
        else:
            pieces[name][-1] += line
    return pieces


PIECES = read_pieces()
HEADERS = PIECES.pop("shared.h")
BETWEEN = ("", "int on_the_same_line; ", "/* ", *PIECES.pop("between"))
NAMES = ("helper", "deeper", "store", "caller", "storing", "tables", "sized", "n", "a", "table", "limit", "i")
TYPED = (
    "",
    "",
    "\n",
    " ",
    ";",
    "{",
    "}",
    "(",
    ")",
    "*",
    "0",
    "n",
    "helper(n)",
    "/*",
    "*/",
    "//",
    '"',
    "'",
    "#",
    "\\",
    "else ",
)


@dataclass(frozen=True)
class File:
    """The pieces in order: name, variant, what stands before it. `words` are renamed throughout, in turn.

    `typed` is what was done to the text afterwards: where (a share of it), characters taken out, characters put in.
    """

    pieces: tuple[tuple[str, int, int], ...]
    words: tuple[tuple[str, str], ...] = ()
    header: int = 0
    typed: tuple[tuple[float, int, str], ...] = ()

    @property
    def text(self) -> str:
        """The C text."""
        text = "".join(BETWEEN[before] + PIECES[name][variant] for name, variant, before in self.pieces)
        for old, new in self.words:
            text = text.replace(f"{old}(", f"{new}(") if len(old) > 1 else text.replace(f" {old} ", f" {new} ")
        for share, gone, added in self.typed:
            at = int(share * len(text))
            text = text[:at] + added + text[at + gone :]
        return text


Change = Callable[[File], File]


@st.composite
def files(draw: st.DrawFn) -> File:
    """Some of the pieces, mostly in an order that C likes."""
    names = draw(st.lists(st.sampled_from(list(PIECES)), min_size=2, max_size=8, unique=True))
    if draw(st.integers(0, 3)):
        names.sort(key=list(PIECES).index)
    return File(tuple((name, draw(variants(name)), 0) for name in names), (), draw(st.integers(0, len(HEADERS) - 1)))


def variants(name: str) -> st.SearchStrategy[int]:
    """Number of a variant of a piece."""
    return st.integers(0, len(PIECES[name]) - 1)


@st.composite
def changes(draw: st.DrawFn) -> Change:
    """What someone does to a file."""
    kind = draw(
        st.sampled_from(["variant"] * 6 + ["between"] * 3 + ["move", "rename", "rename back", "header", "header"])
    )
    share = draw(st.floats(0, 1, exclude_max=True))
    number = draw(st.integers(0, 1_000_000))
    typed = (draw(st.floats(0, 1)), draw(st.integers(0, 20)), draw(st.sampled_from(TYPED)))
    words = (draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES)))

    def change(file: File) -> File:
        at = int(share * len(file.pieces))
        name, variant, before = file.pieces[at]
        match kind:
            case "variant":
                piece = (name, number % len(PIECES[name]), before)
            case "between":
                piece = (name, variant, number % len(BETWEEN))
            case "move":
                others = [*file.pieces[:at], *file.pieces[at + 1 :]]
                others.insert(number % len(file.pieces), file.pieces[at])
                return replace(file, pieces=tuple(others))
            case "rename":
                return replace(file, words=(*file.words, words))
            case "rename back":
                return replace(file, words=file.words[:-1])
            case "type":
                return replace(file, typed=(*file.typed, typed))
            case "type back":
                return replace(file, typed=file.typed[:-1])
            case _:
                return replace(file, header=number % len(HEADERS))
        return replace(file, pieces=(*file.pieces[:at], piece, *file.pieces[at + 1 :]))

    return change


def counted(source: str) -> FileCounts:
    """Counts as if a run had executed each line a number of times."""
    digest, functions = counted_functions(source, {})
    lines = tuple(LineCount(n, 100 * n, (99 * n, n)) for n, _ in enumerate(source.splitlines(), 1))
    return FileCounts(digest, functions, lines, 1_000_000, "2026-01-31")


@given(
    file=files(),
    edits=st.lists(changes(), min_size=1, max_size=4),
    is_measured=st.booleans(),
    noise=st.sampled_from(LEVELS),
)
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_after_any_edits_of_interacting_pieces_the_report_is_a_fresh_one(
    file: File, edits: list[Change], is_measured: bool, noise: Noise, answer_of, first_difference
) -> None:
    memo = Memo()
    options = AnalysisOptions(counts=counted(file.text) if is_measured else None, noise=noise)
    answer_of(file.text, HEADERS[file.header], memo, options)
    for edit in edits:
        file = edit(file)
        source, header = file.text, HEADERS[file.header]
        again = answer_of(source, header, memo, options)
        assert not first_difference(again, answer_of(source, header, Memo(), options))
