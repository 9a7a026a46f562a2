"""The shape of everything that is shown about a loop or an access, before it becomes markdown, plain text or colour."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import wrap

from warplens.server.render.columns import Table, aligned
from warplens.server.render.visible_text import visible


@dataclass(frozen=True, slots=True)
class Section:
    """A titled table, its first row the columns' names, and list; `items` are sentences."""

    title: str
    items: tuple[str, ...] = ()
    table: Table = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """An image and the text that stands for it; `uri` may be a `data:` URI."""

    uri: str
    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """`headline` says the verdict in one line, `rows` are (name, value), then the sections; empty ones are left out.

    Texts may hold `code` in backquotes and nothing else of markdown. `links` are (text, URI) of what can be done, the
    URI empty where nothing can be opened; they and the pictures follow the headline, since an editor shows a hover's
    first lines only. `references` are (text, URI) of places that items name, as they are written there. `more` are
    (text, URI) of where all else is.
    """

    headline: str
    rows: tuple[tuple[str, str], ...] = ()
    sections: tuple[Section, ...] = ()
    footer: str = ""
    links: tuple[tuple[str, str], ...] = ()
    pictures: tuple[Picture, ...] = ()
    references: tuple[tuple[str, str], ...] = ()
    more: tuple[tuple[str, str], ...] = ()


_LINKS = "Quick fixes"
_MORE = "More"
_CODE = re.compile(r"(?<!`)`[^`]+`(?!`)")
_MARKUP = re.compile(r"[\\`*_\[\]<>#]")
_COLUMNS = 76
"""Of plain text: a terminal's 80 less what a floating window has around it."""

_NUMBER_GAP = re.compile(r"(?<=\d) (?=[\d%A-Za-zµ])")
_SHORT_CODE = re.compile(r"`[^`]{1,60}`")


def as_markdown(card: Card) -> str:
    r"""Markdown with a table; characters that markdown would read are escaped outside code.

    >>> print(as_markdown(Card("GPU 18x", (("block", "32x8"),), (Section("Why", ("`a|b` is *read*.",)),))))
    **GPU 18x**
    <BLANKLINE>
    | | |
    |:--|:--|
    | block | 32x8 |
    <BLANKLINE>
    **Why**
    - `a|b` is \*read\*.
    """
    parts = [f"**{_escaped(card.headline)}**"]
    led = ((_LINKS, card.links), (_MORE, card.more))
    if links := ". ".join(f"{title}: {_listed_links(each)}" for title, each in led if each):
        parts.append(links)
    if card.pictures:
        parts.append(" ".join(f"![{_escaped(picture.text)}]({picture.uri})" for picture in card.pictures))
    if card.rows:
        parts.append(_table((("", ""), *card.rows)))
    for section in card.sections:
        title = f"**{_escaped(section.title)}**"
        if section.table:
            parts += [title, _table(section.table)]
        if section.items:
            items = (f"- {_linked(_escaped(item), card.references)}" for item in section.items)
            parts.append("\n".join(items if section.table else (title, *items)))
    if card.footer:
        parts.append(f"*{_escaped(card.footer)}*")
    return "\n\n".join(parts)


def _listed_links(links: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"[{_escaped(text)}]({uri})" if uri else _escaped(text) for text, uri in links)


def as_plain_text(card: Card) -> str:
    """Text for clients that show no markdown: columns by spaces, lines that fit a terminal of 80 columns."""
    width = max((len(name) for name, _ in card.rows), default=0)
    parts = [_wrapped(card.headline)]
    led = ((_LINKS, card.links), (_MORE, card.more))
    if links := ". ".join(f"{title}: {', '.join(text for text, _ in each)}" for title, each in led if each):
        parts.append(_wrapped(links))
    if card.rows:
        parts.append("\n".join(_wrapped(value, f"{name:<{width}}  ") for name, value in card.rows))
    for section in card.sections:
        if section.items or section.table:
            lines = aligned(section.table) if section.table else ()
            items = (_wrapped(item, "- ") for item in section.items)
            parts.append("\n".join((_wrapped(section.title), *lines, *items)))
    if card.footer:
        parts.append(_wrapped(card.footer))
    return visible("\n\n".join(parts))


def _wrapped(text: str, before: str = "") -> str:
    """Lines of at most `_COLUMNS`, the first behind `before`, the others under it.

    A number stays with its unit, and code on one line, so that it can be copied.
    """
    kept = _SHORT_CODE.sub(lambda code: code[0].replace(" ", "\u00a0"), _NUMBER_GAP.sub("\u00a0", text))
    lines = wrap(
        kept,
        _COLUMNS,
        initial_indent=before,
        subsequent_indent=" " * len(before),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\u00a0", " ")


def _linked(text: str, references: tuple[tuple[str, str], ...]) -> str:
    """An escaped text with links at the places that it names."""
    if not references:
        return text
    uris = {_escaped(name): uri for name, uri in references}
    names = "|".join(re.escape(name) for name in sorted(uris, key=len, reverse=True))
    return re.sub(rf"(?<![\w/.`-])(?:{names})(?!\d)", lambda name: f"[{name[0]}]({uris[name[0]]})", text)


def _table(rows: Table) -> str:
    head, *body = ("| " + " | ".join(map(_cell, row)) + " |" if any(row) else "|" + " |" * len(row) for row in rows)
    return "\n".join((head, "|" + ":--|" * len(rows[0]), *body))


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Escape what stands outside `code`; a backquote that begins or ends none is escaped too."""
    text = visible(text).replace("\n", " ")
    pieces, at = [], 0
    for code in _CODE.finditer(text):
        pieces += [_MARKUP.sub(r"\\\g<0>", text[at : code.start()]), code[0]]
        at = code.end()
    return "".join((*pieces, _MARKUP.sub(r"\\\g<0>", text[at:])))


def as_markdown_text(text: str) -> str:
    """Markdown of one text that may hold `code`, outside of a card."""
    return _escaped(text)
