"""Which files of a folder may be in one program: never too few, and two programs stay two."""

from __future__ import annotations

import pytest
from warplens.analysis.program.connected_files import connected_files
from warplens.analysis.program.linked_names import linked_names


def connected(files: dict[str, str], asked: str) -> set[str]:
    """The files that hang together with one of them; `.h` are headers."""
    sources = {path: linked_names(text) for path, text in files.items() if path.endswith(".c")}
    headers = {path: linked_names(text) for path, text in files.items() if path.endswith(".h")}
    return set(connected_files(sources, headers, [asked]))


@pytest.mark.parametrize(
    "text",
    [
        "void run(int n) { }",
        "void\nrun(int n)\n{\n}\n",
        "void run(n)\n  int n;\n  double x;\n{\n}\n",
        "#ifdef STDC\nvoid run(int n)\n#else\nvoid run(n) int n;\n#endif\n{\n}\n",
        'extern "C" {\n  void run(int n) { }\n}\n',
        "void other(int n)\n{\n#ifdef A\n  if (n) {\n#else\n  if (!n) {\n#endif\n  }\n}\nvoid run(int n)\n{\n}\n",
        "int table[] = {1, 2}; void run(int n) { }",
        "struct s { int a; } one; void run(int n) { }",
        "#define BEGIN {\nvoid run(int n) BEGIN\n}\n",
        "API(void) run(int n) { }",
        "__attribute__((noinline)) void run(int n) { }",
        "/* { */ char open = '{'; char *text = \"{\"; void run(int n) { }",
        "static void other(void) { } void run(int n) { }",
        "enum { A, B }; typedef struct { int x; } t; t run(int n) { return (t){n}; }",
    ],
)
def test_a_function_is_found_however_it_is_written(text: str) -> None:
    files = {"run.c": text, "main.c": "int main(void) { run(3); }"}
    assert connected(files, "main.c") == connected(files, "run.c") == {"run.c", "main.c"}


@pytest.mark.parametrize(
    ("used", "header"),
    [
        ("int main(void) { run(3); }", ""),
        ("void run(int); void (*f)(int) = run;", ""),
        ('#include "run.h"\nint main(void) { by(run); }', "void run(int n);"),
        ('#include "run.h"\nint main(void) { RUN(3); }', "#define RUN(n) \\\n  run(n)"),
        ('#include "run.h"\nint main(void) { twice(3); }', "static inline void twice(int n) { run(n); run(n); }"),
        ("extern int size; int main(void) { return size; }", ""),
        ('#include "run.h"\nint main(void) { return size; }', "extern int size;"),
        ('#include "run.c"\n', ""),
        ('#include "above.h"\nint main(void) { return size; }', "extern int size;"),
    ],
)
def test_whatever_way_a_file_uses_another_they_hang_together(used: str, header: str) -> None:
    files = {
        "run.c": "int size = 8;\nvoid run(int n) { }",
        "main.c": used,
        "run.h": header,
        "above.h": '#include "lib/run.h"',
        "alone.c": "static void run(int n) { }\nint main(void) { int size = 3; run(size); }",
    }
    assert connected(files, "main.c") == {"run.c", "main.c"}
    assert connected(files, "run.c") == {"run.c", "main.c"}


@pytest.mark.parametrize("header", ["", "#define DEFINE(name) void run_##name(int n)\n"])
def test_a_macro_may_define_functions_of_any_name(header: str) -> None:
    macro = '#include "define.h"\n' if header else "#define DEFINE(name) void run_##name(int n)\n"
    files = {
        "run.c": f"{macro}DEFINE(fast)\n{{\n}}\n",
        "main.c": "void run_fast(int); int main(void) { run_fast(3); }",
        "alone.c": "static void run(int n) { }\nint main(void) { run(3); elsewhere(); }",
        "define.h": header,
    }
    assert connected(files, "main.c") == connected(files, "run.c") == {"run.c", "main.c"}
    assert connected(files, "alone.c") == {"alone.c"}


def test_programs_that_define_the_same_names_stay_apart_unless_they_share_a_file() -> None:
    text = "int n = 3; void run(void) { malloc(n); }\nint main(void) { run(); }"
    files = {"a.c": text, "b.c": text, "c.c": text.replace("malloc", "shared"), "shared.c": "void shared(int n) { }"}
    assert connected(files, "a.c") == {"a.c"}
    assert connected(files, "shared.c") == {"c.c", "shared.c"}
    files["d.c"] = "int main(void) { shared(2); }"
    assert connected(files, "c.c") == {"c.c", "d.c", "shared.c"}


@pytest.mark.parametrize(
    "text", ["", "{{{", "}}}", "((((", "\0", '"', "/*", "#define", '#include "', "'", "int", "=;=,["]
)
def test_what_is_no_c_says_nothing_and_loses_nothing(text: str) -> None:
    files = {"odd.c": text, "run.c": "void run(int n) { }", "main.c": "int main(void) { run(3); }"}
    assert connected(files, "main.c") == {"run.c", "main.c"}
