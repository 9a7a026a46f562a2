"""C files that say themselves which quick fixes are offered at their loops, each with the text after.

tests/fixtures/fixes/<code>/<case>.c has an expectation under the header of each loop that a fix is offered at; the
carets start where the header does:

    for (int j = 0; j < m; j++)
//  ^^^ fix interchange: 3.1x              the predicted gain, as shown
//  ^^^ fix openmp: ok                     offered, whatever is predicted
//  ^^^ fix restrict(a): ok                the variant in parentheses, where there is one
//  ^^^ fix openacc: refused: part of the reason

A file speaks of the codes that it names: all their offers must be expected. `// no-fix: interchange` says that there is
none. The first line may choose machines, sizes and what a user wishes, the block as x, y, z:
`// fixture: gpu=gtx460 n=4096 block=32x8 outputs=1x4 shared=A,B`. These lines are no part of the source.

<case>.after.c is the source after all the fixes that are offered; without it they leave the source as it is. What a fix
writes beside it is compared where <case>.after.<suffix> is there (`matmul.after.cu`), and must be written anyway.
Offers of the same codes in the text after must change nothing. Line ends are compared too.
WARPLENS_WRITE_AFTER=1 in the environment writes the texts after instead of comparing them.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from support.fix_fixtures.contexts import contexts
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.report import Report
from warplens.analysis.ports.catalogue import edits_of, offers
from warplens.analysis.ports.fix import FixContext, FixEdits, LaunchWish, NewFile, OfferedFix, TextEdit, applied

FOLDER = Path(__file__).parents[2] / "fixtures" / "fixes"

_MARK = re.compile(r"[ \t]*//\s*(?P<carets>\^+) fix (?P<code>[\w-]+)(?:\((?P<variant>[^)]*)\))?: (?P<said>.+)")
_NOTHING = re.compile(r"// no-fix: ([\w-]+)")
_FIRST_LINE = re.compile(r"// fixture:(.*)")


@dataclass(frozen=True, order=True)
class Mark:
    """What is said of a fix at a loop: line from 0 and column of its header; `said` is `3.1x`, `ok` or a refusal."""

    line: int
    column: int
    code: str
    variant: str
    said: str


@dataclass(frozen=True)
class Fixture:
    """A case without the lines that speak of fixes."""

    source: str
    file_name: str
    marks: tuple[Mark, ...]
    absent: frozenset[str]
    options: AnalysisOptions
    machines: dict[str, str]
    wish: LaunchWish

    @property
    def codes(self) -> frozenset[str]:
        """Fixes that the file speaks of."""
        return self.absent | {mark.code for mark in self.marks}


@dataclass(frozen=True)
class Fixed:
    """A case after its fixes. `text` is the source, `files` what was written beside it."""

    fixture: Fixture
    text: str
    files: tuple[NewFile, ...]


def cases(*codes: str) -> list[Path]:
    """Fixtures of the fixes with these codes, without the texts after."""
    found = (path for code in codes for path in sorted((FOLDER / code).glob("*.c")))
    return [path for path in found if not path.stem.endswith(".after")]


def case_name(path: Path) -> str:
    """Id of a case in pytest."""
    return f"{path.parent.name}-{path.stem}"


def check(path: Path, analyse_c: Callable[..., Report]) -> Fixed:
    """Hold a fixture's offers and the text after against what the file says, and apply the fixes a second time."""
    fixture = read(path)
    assert fixture.codes, "a fixture expects a fix or says no-fix"
    offered = _offered(fixture, fixture.source, analyse_c)
    found = [(*_place(context, offer), offer.code, offer.variant) for context, offer in offered]
    expected = [(mark.line, mark.column, mark.code, mark.variant) for mark in fixture.marks]
    assert sorted(found) == expected, [offer for _, offer in offered]
    for mark in fixture.marks:
        context, offer = offered[found.index((mark.line, mark.column, mark.code, mark.variant))]
        _check_said(mark, offer)
        if offer.refusal:
            edits = edits_of(context, offer, fixture.wish)
            assert (edits.edits, edits.new_files) == ((), ()), "a refused fix has no edits"

    fixed = _apply(fixture, fixture.source, offered)
    _compare_texts(path, fixture, fixed)
    again = _apply(fixture, fixed.text, _offered(fixture, fixed.text, analyse_c))
    assert again.text == fixed.text, "applied twice"
    assert not again.files or again.files == fixed.files
    return fixed


def read(path: Path) -> Fixture:
    """A fixture from its file."""
    whole = path.read_bytes().decode()
    kept: list[str] = []
    marks: list[Mark] = []
    absent: set[str] = set()
    choices: dict[str, str] = {}
    for number, line in enumerate(whole.splitlines(keepends=True)):
        mark, nothing, first = _MARK.match(line), _NOTHING.match(line), _FIRST_LINE.match(line)
        if mark is not None:
            column = _column(line[: mark.start("carets")])
            said = mark["said"].strip()
            marks.append(Mark(len(kept) - 1, column, mark["code"], mark["variant"] or "", said))
        elif nothing is not None:
            absent.add(nothing[1])
        elif first is not None and not number:
            choices = dict(re.findall(r"(\S+?)=(\S+)", first[1]))
        else:
            kept.append(line)
    machines = {kind: choices.pop(kind) for kind in ("gpu", "cpu") if kind in choices}
    wish = LaunchWish(
        block=_extent(choices.pop("block", "")),
        outputs_per_thread=_extent(choices.pop("outputs", "")),
        shared=tuple(choices.pop("shared").split(",")) if "shared" in choices else None,
    )
    sizes = tuple(SizeChoice(name, int(value), "setting") for name, value in choices.items())
    options = AnalysisOptions(sizes=sizes)
    return Fixture("".join(kept), path.name, tuple(sorted(marks)), frozenset(absent), options, machines, wish)


def _extent(text: str) -> tuple[int, int, int] | None:
    """`32x8` with ones for what is left out."""
    if not text:
        return None
    x, y, z = (*map(int, text.split("x")), 1, 1)[:3]
    return x, y, z


def _offered(fixture: Fixture, source: str, analyse_c: Callable[..., Report]) -> list[tuple[FixContext, OfferedFix]]:
    report = analyse_c(source, options=fixture.options, **fixture.machines)
    assert not report.opaque, report.opaque
    return [
        (context, offer)
        for context in contexts(source, report, fixture.file_name)
        for offer in offers(context)
        if offer.code in fixture.codes
    ]


def _place(context: FixContext, offer: OfferedFix) -> tuple[int, int]:
    at = dict(context.spans.header)[offer.loop].start + context.spans.base
    before = context.source[:at]
    return before.count("\n"), _column(before.rpartition("\n")[2])


def _column(before: str) -> int:
    """Where an editor shows what follows: `//` and a tab are as wide as a tab."""
    return len(before.expandtabs(4))


def _check_said(mark: Mark, offer: OfferedFix) -> None:
    if mark.said.startswith("refused:"):
        assert offer.refusal, f"line {mark.line + 1}: `{offer.title}` is not refused"
        assert mark.said.removeprefix("refused:").strip() in offer.refusal, offer.refusal
        return
    assert not offer.refusal, f"line {mark.line + 1}: {offer.refusal}"
    if mark.said != "ok":
        shown = "no gain" if offer.gain is None else f"{offer.gain:.1f}x"
        assert shown == mark.said, f"line {mark.line + 1}: {offer.gain}"


def _apply(fixture: Fixture, source: str, offered: list[tuple[FixContext, OfferedFix]]) -> Fixed:
    """All offers that are not refused, their edits together."""
    edits: list[TextEdit] = []
    files: list[NewFile] = []
    for context, offer in offered:
        if offer.refusal:
            continue
        made = edits_of(context, offer, fixture.wish)
        assert not made.refusal, f"offered, but refused when it is chosen: {made.refusal}"
        assert [edit.span for edit in made.edits] == sorted(edit.span for edit in made.edits), "not in source order"
        edits += made.edits
        files += made.new_files
    edits.sort(key=lambda edit: edit.span)
    assert all(a.span.end <= b.span.start for a, b in pairwise(edits)), "edits of two fixes overlap"
    return Fixed(fixture, applied(source, FixEdits(tuple(edits))), tuple(files))


def _compare_texts(path: Path, fixture: Fixture, fixed: Fixed) -> None:
    after = path.with_name(f"{path.stem}.after.c")
    by_suffix = {path.with_name(f"{path.stem}.after{Path(file.name).suffix}"): file.text for file in fixed.files}
    if os.environ.get("WARPLENS_WRITE_AFTER"):
        if fixed.text != fixture.source:
            after.write_bytes(fixed.text.encode())
        for file, text in by_suffix.items():
            file.write_bytes(text.encode())
    assert fixed.text == (after.read_bytes().decode() if after.exists() else fixture.source)
    written = {file: text for file, text in by_suffix.items() if file.exists()}
    assert written == {file: file.read_bytes().decode() for file in written}
    beside = set(path.parent.glob(f"{path.stem}.after.*")) - {after}
    assert beside <= by_suffix.keys(), "files that no fix writes"
