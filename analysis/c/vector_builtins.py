"""What gcc's builtins behind the x86 intrinsics touch: nothing but their operands, for those that only compute.

Source: GCC 12, the headers `xmmintrin.h` to `avx2intrin.h` and `fmaintrin.h`, where the intrinsics call them.
"""

from __future__ import annotations

import re

PREFIX = "__builtin_ia32_"
STREAMING_STORES = frozenset(
    PREFIX + name for name in ("movntps", "movntpd", "movntdq", "movntps256", "movntpd256", "movntdq256", "movnti",
                               "movnti64", "movntq")
)  # fmt: skip
"""Builtins that store their second operand where the first one points."""
FENCES = frozenset(PREFIX + name for name in ("sfence", "lfence", "mfence", "pause"))
"""Builtins that touch nothing: they keep the thread's own accesses in order, or let it wait."""
_COMPUTES = re.compile(
    r"v?(?:"
    r"(?:add|sub|mul|div|min|max|sqrt|rcp|rsqrt|and|andn|or|xor|hadd|hsub|addsub|dp|round|floor|ceil)[ps][sd](?:256)?"
    r"|u?comi(?:s[sd])?(?:eq|neq|lt|le|gt|ge)|cmp\w*[ps][sd](?:256)?|shufp[sd](?:256)?|unpck[lh]p[sd](?:256)?|blendv?p[sd](?:256)?"
    r"|cvtt?\w+2\w+|movs[sd]|movmskp[sd](?:256)?|mov(?:hlps|lhps|shdup|sldup|ddup)(?:256)?|rsqrtps_nr(?:256)?"
    r"|permil(?:var)?p[sd](?:256)?|perm2f128_\w+|permti256|perm(?:var|d)\w*256|vextractf128_\w+|insertf128_\w+"
    r"|(?:extract|insert)128i256|insertps128|pack[su]s\w+|punpck\w+|p(?:add|sub|mul|madd|min|max|avg|sad|abs|sign)\w*"
    r"|ps(?:ll|ra|rl)\w*|pcmp(?:eq|gt)\w*|pand\w*|por\w*|pxor\w*|pblend\w*|pshuf\w*|palignr\w*|pmov(?:sx|zx|mskb)\w*"
    r"|ph(?:add|sub|min)\w*|p?test(?:z|c|nzc)\w*|vec_(?:ext|set)_\w+|fn?m(?:add|sub|addsub|subadd)\w*"
    r"|crc32\w+|bextr_\w+|pdep_\w+|pext_\w+|(?:ps|pd|si)256_\w+|(?:ps|pd|si)_(?:ps|pd|si)256|mpsadbw\w*|andnotsi256|pbroadcast\w*|vbroadcast\w*_si256"
    r"|broadcasts[sd]_p[sd](?:256)?|[lt]zcnt_\w+|bzhi_\w+|movq128|aes\w+128|pclmulqdq128"
    r")\Z"
)
_TOUCHES_MEMORY = re.compile(r"mem|load|store|gather|scatter|maskmov|movnt")


def only_computes(name: str) -> bool:
    """Whether a builtin's value is made of its operands alone, and it does nothing else.

    >>> only_computes("__builtin_ia32_maxps"), only_computes("__builtin_ia32_maskstoreps")
    (True, False)
    """
    own = name.removeprefix(PREFIX)
    return name.startswith(PREFIX) and _TOUCHES_MEMORY.search(own) is None and _COMPUTES.match(own) is not None
