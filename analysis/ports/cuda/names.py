"""Names of a nest as identifiers of CUDA C++: the user's own wherever the language allows.

Source: ISO C++17 table 5 (keywords) and 6.4.2 (alternative tokens); CUDA C++ Programming Guide, built-in variables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field


def words(text: str) -> frozenset[str]:
    """A word list, which reads better than as many strings.

    >>> sorted(words("a b"))
    ['a', 'b']
    """
    return frozenset(text.split())


_KEYWORDS = words(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl concept
    const const_cast consteval constexpr constinit continue co_await co_return co_yield decltype default delete do
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
    namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
    requires return short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
    """
)
_REDUCTIONS = words(
    """
    block_sum block_product block_min block_max block_fmin block_fmax block_and block_or block_xor block_all block_any
    """
)
_GIVEN = words(
    """
    threadIdx blockIdx blockDim gridDim warpSize dim3 min max assert main NULL INFINITY NAN HUGE_VAL INT_MAX INT_MIN
    UINT_MAX LONG_MAX LONG_MIN ULONG_MAX errno EOF stdin stdout stderr linux unix
    """
)
_RESERVED = _KEYWORDS | _GIVEN | _REDUCTIONS | {f"{name}_of_any_size" for name in _REDUCTIONS}
_VECTOR = re.compile(r"u?(?:char|short|int|long|longlong)[1-4]|(?:float|double)[1-4]|dim3")
_NO_IDENTIFIER = re.compile(r"\W+")


def is_keyword(name: str) -> bool:
    """Whether C++ has no variable, member or type of this name."""
    return name in _KEYWORDS


def tag_of(name: str) -> str:
    """The tag of a structure: C++ has keywords of its own, and CUDA vectors with such names.

    >>> tag_of("body"), tag_of("class"), tag_of("float4")
    ('body', 'class_', 'float4_')
    """
    return f"{name}_" if name in _RESERVED or _VECTOR.fullmatch(name) else name


@dataclass(slots=True)
class Names:
    """Gives every name of a nest one identifier, and no two the same."""

    given: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def of(self, name: str) -> str:
        """Identifier of a name of the nest, always the same one.

        >>> names = Names()
        >>> names.of("i"), names.of("i'2"), names.of("new"), names.of("grid->data"), names.of("i'2")
        ('i', 'i2', 'new_', 'grid_data', 'i2')
        """
        if name not in self.given:
            self.given[name] = self.fresh(name.replace("'", ""))
        return self.given[name]

    def fresh(self, wanted: str) -> str:
        """An identifier that nothing has yet, as close to what is wanted as possible."""
        plain = _NO_IDENTIFIER.sub("_", wanted).strip("_") or "value"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        candidate, number = (f"{plain}_" if plain in _RESERVED or "__" in plain else plain), 2
        while candidate in self.taken or candidate in _RESERVED:
            candidate, number = f"{plain}_{number}", number + 1
        self.taken.add(candidate)
        return candidate
