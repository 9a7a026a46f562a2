"""The glossary, read from its page as it was installed: what a word means, and links to it from other texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from warplens.server.settings.nearest import nearest_name

_ALSO = re.compile(r"<!-- also: (.*?) -->\n")
_NO_TEXT = re.compile(
    r"```.*?```|`[^`\n]*`|!?\[(?:\\.|[^\]\\])*\]\([^)]*\)|^#[^\n]*$|^\*\*[^\n]*\*\*$|<[^>\n]*>|polyhedral model",
    re.DOTALL | re.MULTILINE,
)
"""Code, links, pictures, headings and a card's headline: in these no word becomes a link."""

_WORD = re.compile(r"(?<![\w/'-])[A-Za-z]\w*")
_NO_MORE = r"(?![\w/-])"


@dataclass(frozen=True, slots=True)
class Term:
    """A word, the other forms that texts use, what it means, and its line on the page, from 1."""

    name: str
    forms: tuple[str, ...]
    meaning: str
    line: int

    @property
    def anchor(self) -> str:
        """Its heading's fragment on a page in a browser."""
        return re.sub(r"[^\w-]", "", self.name.lower().replace(" ", "-"))


@cache
def terms() -> tuple[Term, ...]:
    """All words in their order; empty where the page was not installed."""
    page = _page()
    return tuple(_parsed(page.read_text(encoding="utf-8"))) if page else ()


def find_term(word: str) -> Term | None:
    """The term of a word or one of its forms, whatever the case."""
    wanted = " ".join(word.split()).casefold()
    return next((term for term in terms() if wanted in {form.casefold() for form in (term.name, *term.forms)}), None)


def nearest_term(word: str) -> str | None:
    """A term that may have been meant."""
    return nearest_name(word, [term.name for term in terms()])


def glossary_links(markdown: str, target: Callable[[Term], str] | None = None) -> str:
    """The text with the first mention of each term outside of code, headings and links made a link to it.

    `target` gives a term's URI: without it the line of the installed page, which editors open.
    """
    to = target or page_uri
    seen: set[str] = set()
    pieces: list[str] = []
    at = 0
    for start, end, term in _mentions(markdown):
        if term.name not in seen and (uri := to(term)):
            seen.add(term.name)
            pieces += [markdown[at:start], "[", markdown[start:end], "](", uri, ")"]
            at = end
    return "".join((*pieces, markdown[at:]))


def _mentions(markdown: str) -> Iterator[tuple[int, int, Term]]:
    """Where terms stand outside of what must not change, the longest form at each place."""
    kept = [found.span() for found in _NO_TEXT.finditer(markdown)]
    border, end = 0, 0
    for word in _WORD.finditer(markdown):
        start = word.start()
        while border < len(kept) and kept[border][1] <= start:
            border += 1
        if start < end or (border < len(kept) and kept[border][0] <= start):
            continue
        for form, term in _by_first_word().get(word.group().casefold(), ()):
            found = form.match(markdown, start)
            if found is not None:
                end = found.end()
                yield start, end, term
                break


def page_uri(term: Term) -> str:
    """URI of a term in the installed page; a fragment that names the line is what editors understand."""
    uri = _installed_uri()
    return f"{uri}#L{term.line}" if uri else ""


@cache
def _installed_uri() -> str:
    page = _page()
    return page.resolve().as_uri() if page else ""


@cache
def _page() -> Path | None:
    try:
        path = Path(str(files("warplens.docs") / "glossary.md"))
    except ModuleNotFoundError:
        return None
    return path if path.is_file() else None


def _parsed(page: str) -> Iterator[Term]:
    for entry in re.finditer(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE):
        also = _ALSO.match(entry.group(2))
        forms = tuple(form.strip(" `") for form in also.group(1).split(",")) if also else ()
        meaning = entry.group(2)[also.end() if also else 0 :].strip()
        yield Term(entry.group(1).strip(), forms, meaning, page.count("\n", 0, entry.start()) + 1)


@cache
def _by_first_word() -> dict[str, list[tuple[re.Pattern[str], Term]]]:
    """The forms that begin with a word, the longest first; one that has a capital is meant as it is written."""
    forms = [(form, term) for term in terms() for form in (term.name, *term.forms)]
    by_word: dict[str, list[tuple[re.Pattern[str], Term]]] = {}
    for form, term in sorted(forms, key=lambda each: -len(each[0])):
        first = _WORD.match(form)
        if first is not None:
            spelled = r"\s".join(re.escape(word) for word in form.split())
            pattern = re.compile(spelled + _NO_MORE, re.IGNORECASE if form == form.lower() else 0)
            by_word.setdefault(first.group().casefold(), []).append((pattern, term))
    return by_word
