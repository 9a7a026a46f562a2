"""Which of the documents that an editor opens may be C."""

from __future__ import annotations

from warplens.analysis.frontend.preprocessing.header_name import HEADER

_CPP = frozenset({"cpp", "c++", "c++-ts", "objective-c", "objective-cpp", "objc", "objcpp", "cuda", "cuda-cpp"})
"""What editors call C++ and what is made of C or of it."""


def may_be_c(language_id: str, path: str) -> bool:
    """Whether a document is read: of those that are opened as C++ only headers, which are opened so for their ending.

    >>> may_be_c("cpp", "/w/a.h"), may_be_c("cpp", "/w/a.cpp"), may_be_c("c", "/w/a.inc")
    (True, False, True)
    """
    return language_id.lower() not in _CPP or path.endswith(HEADER)
