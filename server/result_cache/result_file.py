"""One result as the content of a file: a digest of all that follows, then the compressed pickle."""

from __future__ import annotations

import hashlib
import pickle
import zlib
from typing import TypeVar

from warplens.server.result_cache.known_values import UnknownValueError, read_known

T = TypeVar("T")
_DIGEST_BYTES = 32
_QUICKLY = 1
"""zlib's level: a third of the size for a few milliseconds."""
MAX_RESULT_BYTES = 256 << 20
"""Of one result, uncompressed."""


class DamagedResultError(Exception):
    """A file that holds no whole result."""


def encoded(result: object) -> bytes:
    """The content of a result's file."""
    content = zlib.compress(pickle.dumps(result, pickle.HIGHEST_PROTOCOL), _QUICKLY)
    return hashlib.sha256(content).digest() + content


def decoded(content: bytes, kind: type[T]) -> T:
    """The result; raises DamagedResultError for anything that is none of this kind. Runs no code from the file."""
    digest, compressed = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    if hashlib.sha256(compressed).digest() != digest:
        raise DamagedResultError("its content is not what was written")
    unpacking = zlib.decompressobj()
    try:
        pickled = unpacking.decompress(compressed, MAX_RESULT_BYTES)
        if not unpacking.eof:
            raise DamagedResultError("it is too large")
        result = read_known(pickled)
    except (zlib.error, UnknownValueError) as error:
        raise DamagedResultError(str(error)) from error
    if not isinstance(result, kind):
        raise DamagedResultError(f"a {type(result).__name__} is no {kind.__name__}")
    return result
