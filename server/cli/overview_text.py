"""The first screen of `warplens check`: the loops that gain most, a line each, and how many of the others there are."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console, JustifyMethod
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from warplens.analysis.advice.stakes import total_now_s
from warplens.analysis.advice.worth import WORTH
from warplens.analysis.text.quantities import percent_text
from warplens.analysis.text.rounded import about_time_text
from warplens.server.cli.overview import Message, Overview, Row
from warplens.server.render.amounts import plural
from warplens.server.render.next_step import STEP_MEANINGS, StepKind
from warplens.server.render.stakes_sentence import BY_SIZE, NOT_WORTH, OPEN_SIZES, stakes_sentence
from warplens.server.render.visible_text import visible_name

_STYLES = {"worth it": "bold cyan", "if data stays": "cyan", "size decides": "blue", "sizes unknown": "blue"}
_WIDE = 100
"""From so many columns on the last one has room for a phrase."""

_ROWS_PIPED = 20
_LEAST_ROWS = 6
_AROUND = 14
"""Lines of the screen beside the table's rows."""

_COUNTED_ABOVE = frozenset((*WORTH, *NOT_WORTH, BY_SIZE, OPEN_SIZES))
_REASONS = 4
_MESSAGES = 5
_LEAST_SHARE = 0.05
"""Of an open loop that is named: of the time now."""


def print_overview(console: Console, overview: Overview, failures: int, *, is_quiet: bool) -> None:
    """Print it; quiet: the table alone."""
    rows = overview.seen_together()
    listed = [row for row in rows if row.is_listed]
    shown = listed[: _rows_of(console)]
    if not is_quiet:
        _print_head(console, overview, rows)
    if shown:
        console.print(_table(console, shown, overview.cores))
    if is_quiet:
        return
    if len(listed) > len(shown):
        _note(console, f"and {len(listed) - len(shown)} more (-v shows all)")
    small = [row for row in rows if row.word in {*WORTH, BY_SIZE} and not row.is_listed]
    if small:
        guessed = sum(row.is_guessed for row in small)
        of_them = "" if guessed == len(small) else f"{guessed} of them "
        at_guess = f", {of_them}at a guessed size" if guessed else ""
        _note(console, f"{plural(len(small), 'loop nest')} would save less than 20 µs a run{at_guess}")
    if shown:
        _note(console, _LEGEND)
    if any(row.step.kind == _UNEXPLAINED for row in shown):
        _note(console, f"{_UNEXPLAINED}: {STEP_MEANINGS[_UNEXPLAINED]}")
    if any(row.is_guessed and row.stake is not None and row.stake.has_time for row in shown):
        _note(console, "? at a guessed size: say it, --size n=4096 or a comment, // warplens: n = 4096")
    if any(row.stake is not None and row.stake.is_part for row in shown):
        _note(console, "^ part of a loop that calls it, which has its time too")
    _print_messages(console, overview)
    if shown or overview.messages:
        console.print()
    _print_others(console, overview, rows, failures)


_UNEXPLAINED: StepKind = "keep data"
"""The step that the table alone does not tell how to take."""

_LEGEND = "now: as written; on GPU: data there already; +copies: data moved each time"


def _note(console: Console, text: str) -> None:
    console.print(Padding.indent(Text(text, "dim"), 2), soft_wrap=False)


def _rows_of(console: Console) -> int:
    return max(_LEAST_ROWS, console.height - _AROUND) if console.is_terminal else _ROWS_PIPED


def _print_head(console: Console, overview: Overview, rows: Sequence[Row]) -> None:
    gpu, cpu = overview.machines
    files = plural(overview.files, "file")
    if gpu:
        _print(console, Text(f"{files}; {gpu} against a {cpu}", "dim"))
    head = stakes_sentence([row.stake for row in rows if row.stake is not None], len(rows))
    _print(console, Text(head, "bold"))
    console.print()


_HEAD = ("loop", "verdict", "now", "cores", "on GPU", "+copies", "bound", "do")
_NUMBERS = frozenset(range(2, 6))
_GAP, _NARROW_GAP = 2, 1
_LEAST_PLACE = 16
_LONGEST_STEP = 10
"""Letters of the last column where it has only room for words."""


def _table(console: Console, rows: Sequence[Row], cores: str) -> Table:
    """As wide as the console: the last column is broken between words, of places the beginning gives way."""
    is_wide = console.width >= _WIDE
    cells = [_cells(row, is_wide=is_wide) for row in rows]
    gap = _GAP if is_wide else _NARROW_GAP
    head = tuple(cores if name == "cores" else name for name in _HEAD)
    columns = zip(head, *cells, strict=True)
    widths = [max(len(name), *(cell.cell_len for cell in column)) for name, *column in columns]
    between = sum(widths[1:-1]) + gap * (len(_HEAD) - 1)
    if not is_wide:
        widths[-1] = min(widths[-1], _LONGEST_STEP)
    elif widths[0] + between + widths[-1] > console.width:
        widths[-1] = max(_LONGEST_STEP, console.width - between - min(widths[0], console.width // 3))
    widths[0] = max(_LEAST_PLACE, min(widths[0], console.width - between - widths[-1]))
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
    for at, (name, width) in enumerate(zip(head, widths, strict=True)):
        side: JustifyMethod = "right" if at in _NUMBERS else "left"
        table.add_column(name, justify=side, width=width, no_wrap=at < len(head) - 1, overflow="fold")
    for place, *others in cells:
        table.add_row(_clipped(place, widths[0]), *others)
    return table


def _cells(row: Row, *, is_wide: bool) -> tuple[Text, ...]:
    stake = row.stake
    if stake is None or row.word is None:
        return tuple(Text() for _ in _HEAD)
    worth, mark = stake.worth, "?" if row.is_guessed else ""
    times = [
        stake.now_s if stake.has_time else None,
        *(None if each is None else each * stake.runs for each in (worth.all_cores_s, worth.gpu_s, worth.copied_s)),
    ]
    return (
        Text(f"{visible_name(_relative(row.path))}:{row.line}{'^' if stake.is_part else ''}"),
        Text(row.word, _STYLES.get(row.word, "")),
        *(Text("" if each is None else f"{about_time_text(each)}{mark}") for each in times),
        Text(row.bound),
        Text((row.step.long if is_wide else row.step.short).replace("`", "")),
    )


def _clipped(place: Text, room: int) -> Text:
    """Its end, which has the name and the line."""
    return place if place.cell_len <= room else Text(f"…{place.plain[len(place.plain) - room + 1 :]}")


def _relative(path: str) -> str:
    shown = os.path.relpath(path)
    return path if shown.startswith("..") else shown


def _print_messages(console: Console, overview: Overview) -> None:
    """The first warnings, each once."""
    places: dict[str, list[Message]] = {}
    for each in overview.messages:
        places.setdefault(each.text, []).append(each)
    shown = list(places.values())
    if shown:
        console.print()
        _print(console, Text(plural(len(set(overview.messages)), "warning"), "bold yellow"))
    for first, *others in shown[:_MESSAGES]:
        place = f"{visible_name(_relative(first.path))}{f':{first.line}' if first.line else ''}: "
        more = f" (and in {plural(len(others), 'more place')})" if others else ""
        text = Text.assemble((place, "cyan"), f"{first.text.replace('`', '')}{more}")
        console.print(Padding.indent(text, 2), soft_wrap=False)
    if len(shown) > _MESSAGES:
        console.print(Text(f"  and {len(shown) - _MESSAGES} more (-v)", "dim"))


def _print_others(console: Console, overview: Overview, rows: Sequence[Row], failures: int) -> None:
    """How many of the others there are, and why; with those counted above, that is all of them."""
    total_s = total_now_s(row.stake for row in rows if row.stake is not None)
    not_worth = [row for row in rows if row.word in NOT_WORTH]
    if not_worth:
        _print(console, Text.assemble((f"Not worth it: {len(not_worth)}", "bold"), f" ({_counted(not_worth)})"))
    undecided = [row for row in rows if row.word not in _COUNTED_ABOVE]
    for title, is_carried in (("Not parallel", True), ("Not decided", False)):
        open_rows = [row for row in undecided if (row.word == "not parallel") is is_carried]
        if open_rows:
            _print_open(console, title, open_rows, total_s)
    if overview.opaque:
        _print(console, Text(f"Not read as loops: {sum(overview.opaque.values())}", "bold"))
        _print_reasons(console, overview.opaque)
    if failures:
        _print(console, Text(f"{plural(failures, 'file')} not analysed", "bold red"))
    example = next((row for row in rows if row.is_listed), rows[0] if rows else None)
    if example is not None:
        place = f"{visible_name(_relative(example.path))}:{example.line}"
        console.print(Text(f"One loop in full: warplens check {place}", "dim"))
        console.print(Text("Every loop in full: -v", "dim"))


def _print_open(console: Console, title: str, rows: Sequence[Row], total_s: float) -> None:
    """How many, those that take a share of the time that is worth a look, and why the others are open."""
    share = sum(row.stake.now_s for row in rows if row.stake is not None and not row.stake.is_part)
    of_time = f", {percent_text(share / total_s)} of the time" if share >= _LEAST_SHARE * total_s > 0 else ""
    _print(console, Text.assemble((f"{title}: {len(rows)}", "bold"), of_time))
    hot = [row for row in rows if row.stake is not None and row.stake.now_s >= _LEAST_SHARE * total_s > 0]
    for row in hot[:_REASONS]:
        place = f"{visible_name(_relative(row.path))}:{row.line}"
        now = percent_text(row.stake.now_s / total_s) if row.stake is not None else ""
        _print_item(console, f"{place}, {now}: {row.reason}")
    named = {id(row) for row in hot[:_REASONS]}
    _print_reasons(console, Counter(row.reason for row in rows if id(row) not in named))


def _print_reasons(console: Console, reasons: Counter[str]) -> None:
    shown = _REASONS if len(reasons) > _REASONS + 1 else len(reasons)
    for reason, number in reasons.most_common(shown):
        _print_item(console, f"{number} x {reason}")
    left = sum(number for _, number in reasons.most_common()[shown:])
    if left:
        console.print(Text(f"  {left} x other reasons", "dim"))


def _print_item(console: Console, text: str) -> None:
    console.print(Padding.indent(Text(text.replace("`", "")), 2), soft_wrap=False)


def _counted(rows: Iterable[Row]) -> str:
    return _joined(Counter(row.reason for row in rows))


def _joined(reasons: Counter[str]) -> str:
    named = [f"{number} {reason}" for reason, number in reasons.most_common(_REASONS)]
    left = sum(number for _, number in reasons.most_common()[_REASONS:])
    return ", ".join((*named, *((f"{left} others",) if left else ()))).replace("`", "")


def _print(console: Console, text: Text) -> None:
    """A paragraph, broken between words at the console's width."""
    console.print(text, soft_wrap=False)
