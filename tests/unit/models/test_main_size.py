"""Which size is varied, and between which values."""

import pytest
from support.c_nests.parsed import facts_of
from warplens.analysis.models.sizes.main_size import main_size
from warplens.analysis.models.sizes.size_range import SizeRange, size_range
from warplens.hwprofiles.loader import load_gpu

HEAD = "const float *restrict a, float *restrict b"
LOOP = "for (int {0} = 0; {0} < {1}; {0}++) "


def nest(*loops: str, body: str) -> str:
    """`i<n` each."""
    return "".join(LOOP.format(*loop.split("<")) for loop in loops) + body


FILTER = f"{{ float s = 0; {nest('p<k', 'q<k', body='s += a[(y + p) * w + x + q];')} b[y * w + x] = s; }}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f"void f(int n, {HEAD}) {{ {nest('i<n', body='b[i] = a[i];')} }}", "n"),
        # Of a matrix's sides the outer loop's, whatever their names.
        (f"void f(int w, int h, {HEAD}) {{ {nest('y<h', 'x<w', body='b[y * w + x] = a[y * w + x];')} }}", "h"),
        # The image, not the filter, though its loops are as many.
        (f"void f(int w, int h, int k, {HEAD}) {{ {nest('y<h - k', 'x<w - k', body=FILTER)} }}", "h"),
        # Not the steps of time.
        (f"void f(int t, int n, {HEAD}) {{ {nest('s<t', 'i<n', body='b[i] += a[i];')} }}", "n"),
        # Squared beats outer.
        (f"void f(int m, int n, {HEAD}) {{ {nest('k<m', 'i<n', 'j<n', body='b[(k*n+i)*n+j] = a[i*n+j];')} }}", "n"),
        # A start takes iterations away.
        (f"void f(int lo, int hi, {HEAD}) {{ for (int i = lo; i < hi; i++) b[i] = a[i]; }}", "hi"),
        ("float f(int n, const float *a) { float s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }", "n"),
        (f"void f({HEAD}) {{ {nest('i<1000', body='b[i] = a[i];')} }}", None),
        # A stride is no size.
        (f"void f(int ld, {HEAD}) {{ {nest('i<100', body='b[i] = a[i * ld];')} }}", None),
    ],
)
def test_the_size_that_threads_grow_with(source: str, expected: str | None) -> None:
    facts = facts_of(source)
    sizes = dict.fromkeys(facts.parameters, 1000) | dict(facts.size_hints) | {name: 0 for name, _ in facts.zero_hints}
    sizes |= {name: 16 for name in ("k", "m") if name in sizes}
    assert main_size(facts, sizes) == expected


def ranged(source: str, gpu: str = "a100", **sizes: int) -> SizeRange:
    facts = facts_of(source)
    known = dict.fromkeys(facts.parameters, 100) | sizes
    name = main_size(facts, known)
    assert name is not None
    return size_range(facts, known, name, load_gpu(gpu))


def test_the_memory_of_the_gpu_ends_it_at_the_last_size_that_fits() -> None:
    source = "void f(long n, int m, const double *restrict a, double *restrict b) {\
        for (long i = 0; i < n; i++) for (int j = 0; j < m; j++) b[i*m+j] = a[i*m+j]; }"
    found = ranged(source, m=1000)
    memory = load_gpu("a100").dram.size_bytes
    assert found == SizeRange(1, memory // 16000, "device memory")
    assert found.most * 16000 <= memory < (found.most + 1) * 16000
    assert ranged(source, m=2 * memory).most == 0


def test_types_extents_and_checks_end_it_first_if_they_come_first() -> None:
    loop = "for (%s i = 0; i < n; i++) x[i] *= 2;"
    assert ranged(f"void f(int n, char *x) {{ {loop % 'int'} }}", "h200") == SizeRange(1, 2**31 - 1, "its type")
    assert ranged(f"void f(unsigned short n, char *x) {{ {loop % 'int'} }}") == SizeRange(1, 2**16 - 1, "its type")
    assert ranged(f"void f(long n, char *x) {{ {loop % 'short'} }}") == SizeRange(1, 2**15 - 1, "its type")
    assert ranged(f"char x[777]; void f(int n) {{ {loop % 'int'} }}") == SizeRange(1, 777, "the arrays' extents")
    checked = f"void f(int n, char *x) {{ if (n < 8 || n > 500) return; {loop % 'int'} }}"
    assert ranged(checked) == SizeRange(8, 500, "a check in the code")
    # Beside another size, which stays.
    inner = "for (int j = 0; j < m; j++) x[i * m + j] *= 2;"
    related = f"void f(int n, int m, char *x) {{ if (n > 2 * m) return; for (int i = 0; i < n; i++) {inner} }}"
    assert ranged(related, n=50, m=100) == SizeRange(1, 200, "a check in the code")
    assert ranged(related, n=500, m=100).ends_at == "device memory"


def test_what_the_size_in_force_contradicts_ends_nothing() -> None:
    source = "char x[777]; void f(int n) { for (int i = 0; i < n; i++) x[i] *= 2; }"
    assert ranged(source, n=1000) == SizeRange(1, 2**31 - 1, "its type")
