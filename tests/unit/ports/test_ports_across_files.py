"""Ports of loops that call functions of other files are right or refused."""

import pytest
from support.fix_fixtures.contexts import contexts
from support.program_files import program_of
from warplens.analysis.ports.cuda import cuda_fix
from warplens.analysis.ports.fix import AS_PREDICTED, FixEdits, FixRule
from warplens.analysis.ports.openacc import openacc_fix
from warplens.analysis.ports.openmp import openmp_fix

HEAD = "struct grid { int n; double *cell; };\n"
LOOP = """\
{head}void f(int n, double *restrict a, double *restrict b{more}) {{
    for (int i = 0; i < n; i++)
        a[i] = {call};
}}
"""


def port(fix: FixRule, main: str, other: str, analyse_c) -> FixEdits:
    """Of the only loop."""
    (context,) = contexts(main, analyse_c(main, program=program_of({"main.c": main, "other.c": other})))
    return fix.edit(context, fix.offer(context)[0], AS_PREDICTED)


@pytest.mark.parametrize("fix", [openmp_fix.FIX, openacc_fix.FIX], ids=["omp", "acc"])
def test_directives_want_code_for_the_device(fix: FixRule, analyse_c) -> None:
    main = LOOP.format(head="double g(double);\n", more="", call="g(b[i])")
    made = port(fix, main, "double g(double v) { return v * v; }", analyse_c)
    assert not made.edits
    assert made.refusal == "`g` is defined in `other.c`: it would have to be compiled for the device there too"


def test_a_kernel_has_the_code_of_the_other_file(analyse_c) -> None:
    """It is that of the same function in this file: nothing but the arguments is named."""
    head = "double g(double);\n"
    definition = "double g(double v) { return v * v; }\n"
    main = LOOP.format(head=head, more="", call="g(b[i])")
    apart = port(cuda_fix.FIX, main, definition, analyse_c)
    together = port(cuda_fix.FIX, LOOP.format(head=definition, more="", call="g(b[i])"), "", analyse_c)
    assert not apart.refusal
    assert apart.new_files
    assert apart.new_files == together.new_files


@pytest.mark.parametrize(
    ("head", "more", "call", "other", "hidden"),
    [
        ("double g(double);\n", "", "g(b[i])", "static double scale = 2; double g(double v) { return v * scale; }",
         "scale"),
        ("double g(int);\n", "", "g(i)", "double table[64]; double g(int i) { return table[i]; }", "table"),
        ("struct s; double g(const struct s *, int);\n", ", const struct s *restrict p", "g(p, i)",
         "struct s { double *x; }; double g(const struct s *p, int i) { return p->x[i]; }", "x"),
        (f"{HEAD}double g(const struct grid *, int);\n", ", const struct grid *restrict p", "g(p, i)",
         f"{HEAD}double g(const struct grid *p, int i) {{ return p->cell[i]; }}", "cell"),
    ],
)  # fmt: skip
def test_what_this_file_can_not_name(head: str, more: str, call: str, other: str, hidden: str, analyse_c) -> None:
    made = port(cuda_fix.FIX, LOOP.format(head=head, more=more, call=call), other, analyse_c)
    assert not made.edits
    assert made.refusal == f"the call would have to say `{hidden}`, a name that `g` has in `other.c`, not this function"
