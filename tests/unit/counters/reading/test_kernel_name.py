"""What a kernel is called in its source."""

import pytest
from warplens.server.measure.counters.reading.kernel_name import short_kernel, without_launch


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("matMul", "matMul"),
        ("_Z6matMulPfS_i", "_Z6matMulPfS_i"),
        ("void <unnamed>::softmax<float>(T1 *)", "softmax"),
        ("void (anonymous namespace)::k(int)", "k"),
        ("void at::native::<unnamed>::apply<A<B<int>>, (int)2>(int)", "apply"),
        ("void Foo<float>::bar(int)", "bar"),
        ("void k<(a>b)>(int (*)(float), A::B)", "k"),
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}"),
        ("main::[lambda(int, float) (instance 2)]::operator()(int) const", "main::[lambda(int, float) (instance 2)]"),
        ("void for_each<main::{lambda(int)#1}>(int)", "for_each"),
        ("void Functor::operator()<int>(float*)", "Functor"),
        ("unsigned int foo (int)", "foo"),
        ("k(int) [112]", "k"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("foo<int", "foo"),
    ],
)
def test_short_names(name: str, short: str) -> None:
    assert short_kernel(name) == short


def test_two_lambdas_of_a_function_have_two_names() -> None:
    assert len({short_kernel(f"main::{{lambda(int)#{i}}}::operator()(int) const") for i in (1, 2)}) == 2


def test_the_launchs_number_is_no_part_of_the_name() -> None:
    assert without_launch("k(int) [112]") == "k(int)"
    assert without_launch("k(int (&) [112])") == "k(int (&) [112])"
