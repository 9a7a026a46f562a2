"""A C file with the shape of real ones, for measurements: much comes with its headers, its functions call each other.

The same numbers give the same text.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

HEADER = "library.h"

_HELPER = """\
/* {words}
 *
 * {words}
 */
static double weight_{n}(const struct state_{t} *s, int i, double by)
{{
    assert(i >= 0 && i < s->count);
    if (by < {c})
        return s->values[i] * by;
    return s->values[i] + by;
}}
"""
_KERNEL = """\
/* {words}
 * {words}
 * {words}
 */
int update_{n}(struct state_{t} *s, const double *restrict in, double *restrict out, int rows, int columns)
{{
    int i, j;
    double total = 0.0;

    assert(s != NULL);
    if (rows < 1 || columns < 1)
        LIBRARY_FAIL("nothing to do", {n});
    if (total > s->limit)
        library_report_{m}(s->name, total);
    s->scale = total;
    return s->count;
}}
"""
_PARTS = (
    """    /* {words} */
    for (i = 0; i < rows; i++) {{
        for (j = 0; j < columns; j++)
            out[i * columns + j] = {c} * in[i * columns + j] + library_limit_{m}(s->scale);
    }}
""",
    """    for (i = 0; i < s->count; i++) {{
        double change = weight_{called}(s->neighbour, i, s->values[i]);

        if (change > LIBRARY_LEAST) {{
            s->values[i] += {c} * change;
            total += change;
        }} else {{
            s->values[i] = 0.0;
        }}
    }}
""",
    """    /* {words} */
    for (j = 1; j < columns - 1; j++)
        out[j] = (in[j - 1] + in[j] + in[j + 1]) / {c};
""",
    """    if (rows > columns && s->limit > {c}) {{
        /* {words} */
        int least = columns;

        assert(least > 0);
        for (i = least; i < rows; i++)
            out[i * columns + least - 1] = sqrt(fabs(in[i * columns])) - {c};
        total -= least;
    }}
""",
    """    /* {words}
     * {words} */
    for (i = 0; i < rows; i++) {{
        double most = in[i * columns];

        for (j = 1; j < columns; j++) {{
            if (in[i * columns + j] > most)
                most = in[i * columns + j];
        }}
        s->values[i % 4] = most * {c};
    }}
""",
)
_CALLER = """\
/* {words} */
double run_{n}(struct state_{t} *s, const double *in, double *out, int rows, int columns, int steps)
{{
    double sum = 0.0;
    int step;

    for (step = 0; step < steps; step++) {{
        if (update_{called}(s->neighbour, in, out, rows, columns) < 0)
            LIBRARY_FAIL("update", {n});
        sum += out[step % rows];
    }}
    return sum;
}}
"""
_WORDS = (
    "the", "of", "values", "state", "old", "new", "before", "after", "each", "row", "column", "limit", "step", "sum",
    "keeps", "what", "is", "read", "next",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Project:
    """The text of a C file and that of the header that it includes."""

    source: str
    header: str


def project(function_count: int, line_count: int, header_lines: int, seed: int = 1) -> Project:
    """A file of about `line_count` lines, and about `header_lines` lines in its own header beside the system's."""
    choose = random.Random(seed)
    kinds = max(function_count // 6, 1)
    names = [f"n{number}" for number in range(header_lines // 12)]
    header = ["#include <stdio.h>", "#include <stdlib.h>", "#include <math.h>", "#include <assert.h>",
              "#define LIBRARY_LEAST 1e-6",
              "#define LIBRARY_FAIL(why, code) \\",
              "    do { library_error(why, __FILE__, __LINE__, code); return -1; } while (0)",
              "void library_error(const char *why, const char *file, int line, int code);"]  # fmt: skip
    for number, name in enumerate(names):
        known = names[choose.randrange(number)] if number else ""
        header += [
            f"/* {_sentence(choose)} */",
            f"typedef struct {name}_s {{",
            "    int count;",
            f"    struct {known}_s *next;" if known else "    void *next;",
            "    double values[4];",
            f"}} {name}_t;",
            f"{name}_t *make_{name}(int count, const char *called);",
            f"void free_{name}({name}_t *it);",
            f"static inline int count_{name}(const {name}_t *it)",
            "{",
            "    return it->count;",
            "}",
        ]
    source = [f'#include "{HEADER}"', ""]
    for kind in range(kinds):
        header += [f"static inline double library_limit_{kind}(double v) {{ return v > {kind}.5 ? {kind}.5 : v; }}",
                   f"void library_report_{kind}(const char *name, double value);"]  # fmt: skip
        source += [f"struct state_{kind} {{", "    const char *name;", f"    {names[kind]}_t *owner;",
                   f"    struct state_{kind} *neighbour;", "    int count;", "    double scale, limit;",
                   "    double *values;", "};", ""]  # fmt: skip
    helper = kernel = 0
    for number in range(function_count):
        role = number % 3
        form = (_HELPER, _KERNEL, _CALLER)[role]
        while role == 1 and form.count("\n") < line_count * 2 // function_count:
            before, tail, after = form.partition("    if (total > s->limit)")
            form = before + choose.choice(_PARTS) + tail + after
        text = form.format(
            n=number, t=(number // 3) % kinds, m=number % kinds, called=kernel if role == 2 else helper,
            c=round(choose.uniform(0.1, 2.0), 3), words=_sentence(choose),
        )  # fmt: skip
        helper, kernel = (number if role == 0 else helper), (number if role == 1 else kernel)
        source += text.split("\n")
        while len(source) < line_count * (number + 1) // function_count:
            source.append(f"/* {_sentence(choose)} */")
    return Project("\n".join(source) + "\n", "\n".join(header) + "\n")


def _sentence(choose: random.Random) -> str:
    return " ".join(choose.choice(_WORDS) for _ in range(8))
