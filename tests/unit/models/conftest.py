from collections.abc import Callable

import pytest
from support.c_nests import parsed
from warplens.analysis.facts.nest_facts import NestFacts

VECADD = "void f(long n, const float *restrict a, const float *restrict b, float *restrict c) {\
 for (long i = 0; i < n; i++) c[i] = a[i] + b[i]; }"
MATMUL = "void f(int n, const float *restrict a, const float *restrict b, float *restrict c) {\
 for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {\
 float s = 0; for (int k = 0; k < n; k++) s += a[i*n+k] * b[k*n+j]; c[i*n+j] = s; } }"
TRANSPOSE = "void f(int n, const float *restrict a, float *restrict o) {\
 for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) o[j*n+i] = a[i*n+j]; }"
PREFIX = "void f(int n, float *a) { for (int i = 1; i < n; i++) a[i] = a[i-1] * 0.5f + a[i]; }"
STEPS = "void f(int n, int t, float *restrict a, const float *restrict b) {\
 for (int s = 0; s < t; s++) for (int i = 0; i < n; i++) a[i] = a[i] * 0.5f + b[i]; }"
HEAVY = "void f(int n, double *restrict a) {\
 for (int i = 0; i < n; i++) { double x = a[i]; for (int k = 0; k < 200; k++) x = x * 1.000001 + 0.5; a[i] = x; } }"


@pytest.fixture
def facts_of() -> Callable[[str], NestFacts]:
    """Facts of the only nest of a C function."""
    return parsed.facts_of


@pytest.fixture(params=["vecadd", "matmul", "transpose", "steps", "heavy"])
def some_facts(request: pytest.FixtureRequest, facts_of: Callable[[str], NestFacts]) -> NestFacts:
    """Facts of several kinds of nest, one after the other."""
    sources = {"vecadd": VECADD, "matmul": MATMUL, "transpose": TRANSPOSE, "steps": STEPS, "heavy": HEAVY}
    return facts_of(sources[request.param])


@pytest.fixture
def vecadd(facts_of: Callable[[str], NestFacts]) -> NestFacts:
    return facts_of(VECADD)


@pytest.fixture
def matmul(facts_of: Callable[[str], NestFacts]) -> NestFacts:
    return facts_of(MATMUL)


@pytest.fixture
def transpose(facts_of: Callable[[str], NestFacts]) -> NestFacts:
    return facts_of(TRANSPOSE)


@pytest.fixture
def prefix(facts_of: Callable[[str], NestFacts]) -> NestFacts:
    return facts_of(PREFIX)


@pytest.fixture
def steps(facts_of: Callable[[str], NestFacts]) -> NestFacts:
    return facts_of(STEPS)
