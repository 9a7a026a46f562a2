"""Seeded mutations of real C files: what half a keystroke, a merge or a bad generator makes of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

_PROJECT = Path(__file__).parents[3]
_FOLDERS = ("examples", "tests/fixtures", "tests/accuracy", "tests/bench")
_TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|\w+|<<=|>>=|->|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|.", re.DOTALL
)
_NUMBER = re.compile(r"\b\d[\w.]*\b")
_NUMBERS = (
    "0", "-1", "1", "2147483647", "2147483648", "4294967296", "9223372036854775807", "18446744073709551616",
    "9" * 400, "0x" + "f" * 80, "0b101", "077777777777777777777777", "08", "1e400", "1e-400", "1.", ".5f", "0x1p-3",
    "1'000", "1u", "1ULL", "1i", "'a'", "'\\xffff'", "L'é'", "(1/0)", "(1<<200)", "(-1>>1)", "sizeof(int[1<<30])",
)  # fmt: skip
_PIECES = (
    "{", "}", "(", ")", "[", "]", ";", ",", "*", "&", "?", ":", "=", "==", "<", "<<", "->", ".", "...", "#", "##", "\\",
    "\\\n", '"', "'", "/*", "*/", "//", "\0", "\r", "\f", "\v", "\u2028", "\u202e", "é", "∀", "\ud800", "\U0001f600",
    "??=", "??/", "??<", "??>", "<%", "%>", "%:", "<:", ":>", "for", "for (;;)", "while", "do", "if", "else", "switch",
    "case 1:", "default:", "goto l;", "l:", "break;", "continue;", "return", "typedef", "struct", "union", "enum",
    "static", "extern", "inline", "restrict", "volatile", "const", "_Atomic", "_Generic(1, int: 2)",
    "_Static_assert(1);",
    "__attribute__((packed))", 'asm("nop");', "__extension__", "({ 1; })", '_Pragma("omp parallel for")',
    "#pragma omp parallel for collapse(9)\n", "#pragma acc loop gang vector(", "#include __FILE__\n",
    '#include "self.h"\n',
    "#include <stdio.h>\n", "#include <>\n", "#include\n", "#define i j\n", "#define for while\n", "#define N N+N\n",
    "#undef N\n", '#line 7 "x.c"\n', '# 1 "/etc/passwd" 3 4\n', "#if\n", "#if 1 /\n", "#else\n", "#endif\n",
    "#error \n", "#embed __FILE__\n", "int", "double", "float *", "unsigned char", "void", "_Bool", "__int128",
    "_Complex",
    "long double", "size_t", "int (*f)(int)", "i++", "--i", "i = i", "n", "a[i]", "a[a[i]]", "*p++", "&a[i]", "p->x",
    "// warplens: n = 99999999999999999999\n", "// warplens: independent\n", "// warplens: n =\n", "// warplens:\n",
    "// warplens-ignore\n", "/* warplens: n = 4 */",
)  # fmt: skip


def corpus() -> list[str]:
    """The project's own C files, by path."""
    paths = sorted(path for folder in _FOLDERS for path in (_PROJECT / folder).rglob("*.c"))
    return [path.read_text(encoding="utf-8", errors="replace") for path in paths]


def mutated(random: Random, texts: Sequence[str]) -> str:
    """One of the texts after one to eight mutations; at most 64 KiB, so that a slow one is slow for what it says."""
    text = random.choice(texts)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        text = random.choice(_MUTATIONS)(random, text, texts)[: 1 << 16]
    return text


def _change_character(random: Random, text: str, _texts: Sequence[str]) -> str:
    at = random.randrange(len(text) + 1)
    new = random.choice((chr(random.randrange(1, 128)), chr(random.randrange(128, 0x3000)), "", "\0", "\n"))
    return text[:at] + new + text[at + random.randrange(2) :]


def _delete_characters(random: Random, text: str, _texts: Sequence[str]) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + text[at + random.randrange(1, 60) :]


def _cut_off(random: Random, text: str, _texts: Sequence[str]) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] if random.randrange(2) else text[at:]


def _insert_piece(random: Random, text: str, _texts: Sequence[str]) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(("", " ", "\n")) + random.choice(_PIECES) + text[at:]


def _change_tokens(random: Random, text: str, texts: Sequence[str]) -> str:
    tokens = _TOKEN.findall(text)
    if not tokens:
        return text
    at = random.randrange(len(tokens))
    other = _TOKEN.findall(random.choice(texts))
    match random.randrange(5):
        case 0:
            del tokens[at : at + random.randrange(1, 4)]
        case 1:
            tokens.insert(at, tokens[at])
        case 2:
            tokens[at] = random.choice(other)
        case 3:
            with_ = random.randrange(len(tokens))
            tokens[at], tokens[with_] = tokens[with_], tokens[at]
        case _:
            tokens[at] = random.choice(_PIECES)
    return "".join(tokens)


def _rename_all(random: Random, text: str, _texts: Sequence[str]) -> str:
    """One word is another everywhere: a variable its own bound, an array an iterator."""
    words = sorted(set(re.findall(r"\b[A-Za-z_]\w*\b", text)))
    if len(words) < 2:
        return text
    one, other = random.sample(words, 2)
    return re.sub(rf"\b{re.escape(one)}\b", other, text)


def _change_number(random: Random, text: str, _texts: Sequence[str]) -> str:
    places = list(_NUMBER.finditer(text))
    if not places:
        return text
    place = random.choice(places)
    return text[: place.start()] + random.choice(_NUMBERS) + text[place.end() :]


def _lines(random: Random, text: str, texts: Sequence[str]) -> str:
    lines = text.split("\n")
    first = random.randrange(len(lines))
    last = first + random.randrange(1, 12)
    match random.randrange(4):
        case 0:
            del lines[first:last]
        case 1:
            lines[first:first] = lines[first:last] * random.choice((1, 1, 20))
        case 2:
            other = random.choice(texts).split("\n")
            start = random.randrange(len(other))
            lines[first:last] = other[start : start + random.randrange(1, 30)]
        case _:
            part = lines[first:last]
            random.shuffle(part)
            lines[first:last] = part
    return "\n".join(lines)


def _splice(random: Random, text: str, texts: Sequence[str]) -> str:
    other = random.choice(texts)
    return text[: random.randrange(len(text) + 1)] + other[random.randrange(len(other) + 1) :]


def _unbalance(random: Random, text: str, _texts: Sequence[str]) -> str:
    places = [place.start() for place in re.finditer(r"[{}()\[\]\"']", text)]
    if not places:
        return text
    at = random.choice(places)
    return text[:at] + text[at] * random.choice((0, 2, 2, 3, 40)) + text[at + 1 :]


def _nest_deep(random: Random, text: str, _texts: Sequence[str]) -> str:
    depth = random.choice((3, 12, 60, 400))
    before, after = random.choice(
        (
            ("(", ")"), ("{", "}"), ("[", "]"), ("-(", ")"), ("a[", "]"), ("f(", ")"), ("if (n) {", "}"), ("({", ";})"),
            ("for (int i = 0; i < n; i++) {", "}"), ("while (n--) {", "}"), ("do {", "} while (n);"), ("n ? n : (",
            ")"),
            ("struct {", "} s;"), ("(int)(", ")"), ("switch (n) { case 1:", "}"), ("*", ""), ("!", ""),
        )
    )  # fmt: skip
    start = random.randrange(len(text) + 1)
    end = min(len(text), start + random.randrange(200))
    return (
        text[:start] + before * depth + text[start:end] + after * random.choice((depth, depth, depth - 1)) + text[end:]
    )


def _maze(random: Random, text: str, _texts: Sequence[str]) -> str:
    lines = text.split("\n")
    for _ in range(random.randrange(1, 10)):
        directive = random.choice(
            ("#if 0", "#if 1", "#ifdef N", "#ifndef N", "#else", "#elif 1", "#elifdef N", "#endif", "#if N > (",
            "#if 1/0",
             "#define N 3", "#undef N", "#define F(x) F(x) x", "#define G(x, ...) x##__VA_ARGS__ #x",
             "#include __FILE__",
             '#include "self.h"', '#include "bomb.h"', "#if __has_include(<self.h>)", "#define for(x) for(x;x;x)", "#")
        )  # fmt: skip
        lines.insert(random.randrange(len(lines) + 1), directive)
    return "\n".join(lines)


def _huge_array(random: Random, text: str, _texts: Sequence[str]) -> str:
    sizes = "".join(f"[{random.choice(_NUMBERS)}]" for _ in range(random.choice((1, 2, 3, 9))))
    name = random.choice(re.findall(r"\b[A-Za-z_]\w*\b", text) or ["a"])
    return f"static {random.choice(('double', 'char', 'struct { int x[9]; }'))} {name}{sizes};\n{text}"


def _line_ends(random: Random, text: str, _texts: Sequence[str]) -> str:
    return text.replace("\n", random.choice(("\r\n", "\r", "\n\r", "\\\n", "\n\n", " \\ \n", "\f\n")))


_Mutation = Callable[[Random, str, Sequence[str]], str]
_MUTATIONS: tuple[_Mutation, ...] = (
    _change_character, _delete_characters, _cut_off, _insert_piece, _insert_piece, _change_tokens, _change_tokens,
    _change_tokens, _rename_all, _change_number, _change_number, _lines, _lines, _splice, _unbalance, _nest_deep, _maze,
    _huge_array, _line_ends,
)  # fmt: skip
