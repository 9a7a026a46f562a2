"""What was read of a file as bytes, and back; the bytes may come from an earlier session, so that none of them runs."""

from __future__ import annotations

import io
import zlib

from warplens.analysis.program.indexed_file import IndexedFile
from warplens.server.program.packed_file import Grounds, PackedFile
from warplens.server.result_cache.content_key import content_key
from warplens.server.result_cache.known_values import UnknownValueError, read_known
from warplens.server.worker.quick_pickle import QuickPickler

_QUICKLY = 1
"""zlib's level."""
_MOST_BYTES = 64 << 20
"""Of one file, unpacked."""


class UnreadableFileError(Exception):
    """Bytes that hold no file."""


def packed(file: IndexedFile, grounds: Grounds) -> PackedFile:
    """A file as bytes; raises RecursionError."""
    buffer = io.BytesIO()
    QuickPickler(buffer).dump(file)
    content = zlib.compress(buffer.getvalue(), _QUICKLY)
    return PackedFile(file.path, grounds, content_key(file.said), content_key(file.placed), content)


def unpacked(file: PackedFile) -> IndexedFile:
    """What `packed` was given; raises UnreadableFileError."""
    unpacking = zlib.decompressobj()
    try:
        pickled = unpacking.decompress(file.content, _MOST_BYTES)
        if not unpacking.eof:
            raise UnreadableFileError("it is not whole, or too large")
        value = read_known(pickled)
    except (zlib.error, UnknownValueError) as error:
        raise UnreadableFileError(str(error)) from error
    if not isinstance(value, IndexedFile) or value.path != file.path:
        raise UnreadableFileError("it holds something else")
    return value
