"""Whether a header is one of C++: `.h` is the ending of both languages, and editors do not tell them apart."""

from __future__ import annotations

import re

from warplens.analysis.frontend.preprocessing.header_name import HEADER
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.text.line_markers import main_regions
from warplens.analysis.text.tokens import without_comments_and_directives

_LITERAL = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""")
_ATTRIBUTE = re.compile(
    r"\[\[[^\[\]]*\]\]|\b__attribute__\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\b_?[aA]lignas\s*\([^()]*\)"
)
_NAME = r"[^\W\d]\w*"
_SIGNS = (
    ("::", rf"\b{_NAME}\s*::\s*[\w~]"),
    ("namespace", rf"(?<!struct )(?<!union )(?<!enum )\bnamespace\b\s*(?:{_NAME}\s*)?\{{"),
    ("using", rf"\busing\s+(?:namespace\b|{_NAME}\s*=)"),
    ("template", rf"\btemplate\s*<\s*(?:>|{_NAME}(?:\s+|\s*\.\.\.\s*){_NAME})"),
    ("class", rf"(?<!struct )(?<!union )(?<!enum )\bclass(?:\s+{_NAME})+\s*(?:[;{{]|:(?!:))"),
    ("class", rf"\benum\s+class\s+{_NAME}\s*[:{{]"),
    (":", r"[{};]\s*(?:public|private|protected)\s*:"),
    ("_cast", r"\b(?:static|const|dynamic|reinterpret)_cast\s*<"),
    ("typename", rf"\btypename\s+{_NAME}"),
    ("=", r"\)\s*(?:const\s*)?=\s*(?:default|delete)\s*;"),
    ("virtual", rf"\bvirtual\s+{_NAME}"),
    ("noexcept", r"\)\s*noexcept\b"),
    ("override", r"\)\s*(?:const\s*)?override\b"),
    ("const", r"\)\s*const\s*\{"),
    ("constexpr", r"\bconstexpr\b[^;{}=()]*\([^;{}=]*\)\s*\{"),
    ("&", r"\b(?:double|float|int|char|long|short|unsigned|auto|bool|_Bool|void)\s*&&?\s*[\w,)]"),
    ("&", r"\[\s*[&=]\s*\]"),
    ("for", r"\bfor\s*\([^;?(){}]*\w\s*:(?!:)\s*\w"),
    ("new", rf"(?:[=(,]|\breturn\b)\s*new\s+{_NAME}\s*[\[(;<{{]"),
    ("delete", r"\bdelete\s*\[\s*\]\s*\w"),
    ("struct", rf"\bstruct\s+{_NAME}\s*:\s*{_NAME}[^;{{}}]*\{{"),
)
"""What no C is, each with a word without which it can't be there."""
_PATTERNS = tuple((word, re.compile(pattern)) for word, pattern in _SIGNS)
_LINKAGE = re.compile(r'\bextern\s*"C')
_DECLARED = re.compile(rf"(?:\b{_NAME}|(?<![*&])[*&>])[\s*&]+{_NAME}\s*\(([^()]*)\)")
"""A function at file level, with its parameters."""
_REFERENCE = re.compile(rf"(?:^|,)\s*(?:{_NAME}\s+)*{_NAME}\s*&&?\s*(?:{_NAME})?\s*(?:,|$)")
_DEFAULT = re.compile(rf"\b{_NAME}[\s*]+{_NAME}\s*=[^=]")
_STRUCTURE = re.compile(rf"\b(?:struct|union)\s+(?:{_NAME}\s*)?\{{")
_METHOD = re.compile(rf"\b{_NAME}\s*\([^(){{}};]*\)\s*\{{")
_BRACE = re.compile(r"[{}]")


def is_cpp_header(preprocessed: Preprocessed) -> bool:
    """Whether a `.h` is C++: so says what is left of its own text in C, a header of C++'s library, or its `#error`.

    What stands behind `#ifdef __cplusplus` does not make it C++. Assumes: names that C++ reserves are rare in C, and
    then no type (`class x;` declares no variable).
    """
    if not preprocessed.main_path.endswith(HEADER):
        return False
    if any("." not in header.rpartition("/")[2] for header in preprocessed.missing):
        return True
    if any("#error" in message and "C++" in message for _, message in preprocessed.notes):
        return True
    text = preprocessed.text
    regions = main_regions(text, preprocessed.main_path)
    return is_cpp("\n".join([text[region.start : region.end] for region in regions]))


def is_cpp(text: str) -> bool:
    """Whether a preprocessed text is none of C, but of C++."""
    text = without_comments_and_directives(text)
    if "extern" in text and _LINKAGE.search(text):
        return True
    bare = _ATTRIBUTE.sub(" ", _LITERAL.sub('""', text))
    if any(word in bare and pattern.search(bare) for word, pattern in _PATTERNS):
        return True
    return _has_methods(bare) or _has_foreign_parameters(bare)


def _has_foreign_parameters(text: str) -> bool:
    """Whether a function at file level has references or defaults as parameters."""
    if "&" not in text and "=" not in text:
        return False
    for match in _DECLARED.finditer(_outside_of_braces(text)):
        parameters = match.group(1)
        if ("&" in parameters and _REFERENCE.search(parameters)) or ("=" in parameters and _DEFAULT.search(parameters)):
            return True
    return False


def _outside_of_braces(text: str) -> str:
    pieces: list[str] = []
    depth = begin = 0
    for brace in _BRACE.finditer(text):
        if brace.group() == "{":
            if depth == 0:
                pieces.append(text[begin : brace.start()])
            depth += 1
        elif depth > 0:
            depth -= 1
            begin = brace.end()
    if depth == 0:
        pieces.append(text[begin:])
    return ";".join(pieces)


def _has_methods(text: str) -> bool:
    """Whether a structure holds a function."""
    for opening in _STRUCTURE.finditer(text):
        depth = 1
        for brace in _BRACE.finditer(text, opening.end()):
            if brace.group() == "{":
                before = text.rfind(";", 0, brace.start())
                start = max(before, text.rfind("}", 0, brace.start()), opening.end() - 1)
                if depth == 1 and _METHOD.search(text, start, brace.end()):
                    return True
                depth += 1
            else:
                depth -= 1
            if depth == 0:
                break
    return False
