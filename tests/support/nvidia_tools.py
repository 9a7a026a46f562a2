"""cuobjdump and nvdisasm: they come with CUDA, or with packages of the dev group, which put them on no PATH."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path


@contextmanager
def nvidia_tools_on_path() -> Iterator[None]:
    """With the packages' folders in front of PATH."""
    spec, path = find_spec("nvidia"), os.environ["PATH"]
    places = spec.submodule_search_locations or () if spec else ()
    folders = dict.fromkeys(str(tool.parent) for place in places for tool in Path(place).glob("cu*/bin/*"))
    os.environ["PATH"] = os.pathsep.join([*folders, path])
    try:
        yield
    finally:
        os.environ["PATH"] = path
