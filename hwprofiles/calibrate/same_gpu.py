"""Whether what was measured is of the GPU that a profile describes, by what the driver states."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.hwprofiles.entry import Entry, value_text

_IDENTITY = {
    "device.compute_capability": "compute capability {}",
    "device.sm_count": "{} SMs",
}
"""Keys that are equal on the same GPU, and how they are said."""

_MEMORY = "dram.size_gb"
_LEAST_SHARE, _MOST_SHARE = 0.9, 1.15
"""Of the memory that makers say. Theirs are often GB of 2**30 bytes, 7 % more; error correction can take as much."""


def other_gpu(known: Mapping[str, Entry], measured: Mapping[str, Entry]) -> str:
    """What says that they are two GPUs, a clause about the measured one; empty where nothing does.

    `known` is a whole profile's. An H100 and an H200 have the same compute capability and as many SMs, but not as much
    memory. Where the driver did not state the memory, that decides nothing.

    >>> known = {"device.compute_capability": Entry("9.0", "-", "datasheet", "there")}
    >>> other_gpu(known, {"device.compute_capability": Entry("8.0", "-", "measured", "here")})
    'it has compute capability 8.0, the profile compute capability 9.0'
    >>> other_gpu(known, {})
    'its compute capability is not in the results'
    """
    for key, said in _IDENTITY.items():
        if key not in measured:
            return f"its {key.partition('.')[2].replace('_', ' ')} is not in the results"
        if measured[key].value != known[key].value:
            theirs, ours = (said.format(value_text(entries[key].value)) for entries in (measured, known))
            return f"it has {theirs}, the profile {ours}"
    if _MEMORY in measured:
        theirs_gb, ours_gb = (float(str(entries[_MEMORY].value)) for entries in (measured, known))
        if not _LEAST_SHARE <= theirs_gb / ours_gb <= _MOST_SHARE:
            return f"it has {theirs_gb:g} GB of memory, the profile {ours_gb:g} GB"
    return ""
