"""C files of a chosen size for measurements: the same seed gives the same text."""

from __future__ import annotations

import random

_NESTS = (
    """    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            b[i * m + j] = {c} * (a[(i - 1) * m + j] + a[(i + 1) * m + j]
                                  + a[i * m + j - 1] + a[i * m + j + 1]);
""",
    """    for (int i = 0; i < n; i++) {{
        double s = 0;
        for (int k = 0; k < m; k++)
            s += {c} * a[i * m + k] * x[k];
        y[i] = s;
    }}
""",
    """    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {{
            double s = {c};
            for (int k = 0; k < n; k++)
                s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }}
""",
    """    for (int i = 0; i < n; i++)
        y[i] = {c} * x[i] + y[i];
""",
    """    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[j * n + i] = a[i * m + j] + {c};
""",
    """    for (int i = 1; i < n; i++)
        x[i] = {c} * x[i - 1] + y[i];
""",
    """    for (int i = 0; i < n; i++) {{
        if (x[i] > {c})
            y[i] = sqrt(x[i]);
        else
            y[i] = exp(-x[i]);
    }}
""",
    """    for (int i = 0; i < n; i++)
        s += x[i] * {c} * y[i];
""",
)


def c_source(nest_count: int, line_count: int, seed: int = 1) -> str:
    """A file of about `line_count` lines with exactly `nest_count` outermost loop nests, one per function."""
    choose = random.Random(seed)
    lines = ["#include <math.h>", "#include <stdio.h>", "#include <stdlib.h>", ""]
    filler = 0
    for number in range(nest_count):
        nest = _NESTS[number % len(_NESTS)].format(c=round(choose.uniform(0.1, 2.0), 3))
        lines += [
            f"double kernel_{number}(int n, int m, const double *restrict a, double *restrict b,",
            "                double *restrict c, double *restrict x, double *restrict y)",
            "{",
            "    double s = 0;",
            *nest.rstrip("\n").split("\n"),
            "    return s;",
            "}",
            "",
        ]
        while len(lines) < line_count * (number + 1) // nest_count:
            lines += [
                f"/* Prints what case {filler} is called. */",
                f"static const char *name_{filler}(int code)",
                "{",
                f"    if (code == {filler})",
                f'        return "case {filler}";',
                f'    printf("not %d but {filler}\\n", code);',
                "    return 0;",
                "}",
                "",
            ]
            filler += 1
    return "\n".join(lines) + "\n"


def c_program(file_count: int, nest_count: int, line_count: int) -> dict[str, str]:
    """Such files by name with kernels of other names, for each a file that calls them, and a `main.c`."""
    files: dict[str, str] = {}
    for number in range(file_count):
        text = c_source(nest_count, line_count, seed=number).replace("kernel_", f"part{number}_kernel_")
        files[f"part{number}.c"] = text.replace("name_", f"part{number}_name_")
        names = [f"part{number}_kernel_{nest}" for nest in range(nest_count)]
        pointers = "const double *, double *, double *, double *, double *"
        files[f"caller{number}.c"] = "\n".join(
            [
                *(f"double {name}(int, int, {pointers});" for name in names),
                f"void run_{number}(double **v)",
                "{",
                *(
                    f"    {name}({100 + number}, {640 + at}, v[0], v[1], v[2], v[3], v[4]);"
                    for at, name in enumerate(names)
                ),
                "}\n",
            ]
        )
    runs = range(file_count)
    files["main.c"] = "\n".join(
        [
            "#include <stdlib.h>",
            *(f"void run_{number}(double **v);" for number in runs),
            "int main(void)",
            "{",
            "    double *v[5];",
            "    for (int i = 0; i < 5; i++)",
            "        v[i] = malloc(800 * 800 * sizeof(double));",
            *(f"    run_{number}(v);" for number in runs),
            "    return 0;",
            "}\n",
        ]
    )
    return files
