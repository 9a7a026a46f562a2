"""The shape of everything that is shown about a loop or an access, before it becomes markdown, plain text or colour."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.server.render.columns import Table, aligned


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
    first lines only.
    """

    headline: str
    rows: tuple[tuple[str, str], ...] = ()
    sections: tuple[Section, ...] = ()
    footer: str = ""
    links: tuple[tuple[str, str], ...] = ()
    pictures: tuple[Picture, ...] = ()


_LINKS = "Quick fixes"


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
    if card.links:
        links = (f"[{_escaped(text)}]({uri})" if uri else _escaped(text) for text, uri in card.links)
        parts.append(f"{_LINKS}: {', '.join(links)}")
    if card.pictures:
        parts.append(" ".join(f"![{_escaped(picture.text)}]({picture.uri})" for picture in card.pictures))
    if card.rows:
        parts.append(_table((("", ""), *card.rows)))
    for section in card.sections:
        title = f"**{_escaped(section.title)}**"
        if section.table:
            parts += [title, _table(section.table)]
        if section.items:
            items = (f"- {_escaped(item)}" for item in section.items)
            parts.append("\n".join(items if section.table else (title, *items)))
    if card.footer:
        parts.append(f"*{_escaped(card.footer)}*")
    return "\n\n".join(parts)


def as_plain_text(card: Card) -> str:
    """Text for clients that show no markdown: columns by spaces."""
    width = max((len(name) for name, _ in card.rows), default=0)
    parts = [card.headline]
    if card.links:
        parts.append(f"{_LINKS}: {', '.join(text for text, _ in card.links)}")
    if card.rows:
        parts.append("\n".join(f"{name:<{width}}  {value}" for name, value in card.rows))
    for section in card.sections:
        if section.items or section.table:
            lines = aligned(section.table) if section.table else ()
            parts.append("\n".join((section.title, *lines, *(f"- {item}" for item in section.items))))
    if card.footer:
        parts.append(card.footer)
    return "\n\n".join(parts)


def _table(rows: Table) -> str:
    head, *body = ("| " + " | ".join(map(_cell, row)) + " |" if any(row) else "|" + " |" * len(row) for row in rows)
    return "\n".join((head, "|" + ":--|" * len(rows[0]), *body))


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Escape what stands outside backquotes; an unpaired backquote is escaped too."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        pieces[-2:] = [f"{pieces[-2]}\\`{pieces[-1]}"] if len(pieces) > 2 else ["\\`".join(pieces)]
    for at in range(0, len(pieces), 2):
        pieces[at] = "".join(f"\\{c}" if c in "*_[]<>#" else c for c in pieces[at])
    return "`".join(pieces)


def as_markdown_text(text: str) -> str:
    """Markdown of one text that may hold `code`, outside of a card."""
    return _escaped(text)
