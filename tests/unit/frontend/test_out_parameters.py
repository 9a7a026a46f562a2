"""Memory that functions of the file hand out by the addresses of the caller's pointers: whose it is, and what else."""

from __future__ import annotations

import pytest
from support.c_nests import parsed
from warplens.analysis.analyse_nest import analyse_nest

DECLARED = """
void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void *memcpy(void *, const void *, long);
int posix_memalign(void **, unsigned long, unsigned long); void *memset(void *, int, unsigned long);
typedef struct { int n; double w; } shape;
typedef struct { int n; double *d; } box;
double *shared;
void unseen(double **, double **);
static void one(double **p, int n) { *p = malloc(n); }
static int two(double **p, double **q, int n) { *p = malloc(n); if (!*p || !p) return 1; q[0] = malloc(n); return !*q; }
static void halves(double **p, double **q, int n) { double *t = malloc(n); *p = t; *q = t + n / 2; }
static void alike(double **p, double **q, int n) { *p = malloc(n); *q = *p; }
static void of_file(double **p) { *p = shared; }
static void one_of_file(double **p, double **q) { static double b[9]; *p = b; *q = malloc(9); }
static void kept(double **p) { static double *b; if (!b) b = malloc(9); *p = b; }
static void handed_on(double **p, double **q, int n) { one(p, n); one(q, n); }
static void handed_to_both(double **p, double **q, int n) { one(p, n); unseen(p, q); }
static void handed_by_another(double **p, double **q, int n) { double **r = p; *r = shared; *q = shared; }
static void stepped(double **p, double **q, int n) { *p++ = malloc(n); *q = malloc(n); }
static void aligned(double **p, double **q, int n) {
  posix_memalign((void **)p, 64, n); if (posix_memalign((void **)q, 64, n)) return; }
static void copied(double **p, double **q, int n) { *p = malloc(n); memcpy(q, p, sizeof *p); }
static void sized(shape *s, double **p, double **q) {
  memset(s, 0, sizeof *s); s->n = 4; *p = malloc(s->n); *q = calloc(s->n, 8); }
static void in_a_box(box *b, double **p, double **q) { b->d = malloc(4); *p = b->d; *q = malloc(4); }
static double *of_one_array(void) { static double b[9]; return b; }
static double *pooled(int n) { static double *b; if (!b) b = malloc(n); return b; }
static double *fresh(int n) { double *b = malloc(n); return b; }
"""
APART = [
    "two(&p, &q, n);",
    "one(&p, n); one(&q, n);",
    "for (int k = 0; k < 2; k++) { one(&p, n); one(&q, n); }",
    "handed_on(&p, &q, n);",
    "aligned(&p, &q, n);",
    "posix_memalign((void **)&p, 64, n); posix_memalign((void **)&q, 64, n);",
    "sized(&s, &p, &q);",
    "one_of_file(&p, &q);",
    "in_a_box(&b, &p, &q);",
    "p = fresh(n); q = fresh(n);",
]
MEETING = [
    "halves(&p, &q, n);",
    "alike(&p, &q, n);",
    "of_file(&p); of_file(&q);",
    "one_of_file(&p, &q); one_of_file(&q, &p);",
    "kept(&p); kept(&q);",
    "handed_to_both(&p, &q, n);",
    "handed_by_another(&p, &q, n);",
    "stepped(&p, &q, n);",
    "copied(&p, &q, n);",
    "unseen(&p, &q);",
    "p = of_one_array(); q = of_one_array();",
    "p = pooled(n); q = pooled(n);",
    "if (n > 9) two(&p, &q, n); else { one(&p, n); q = p; }",
]


def may_meet(body: str) -> dict[str, tuple[str, ...]]:
    loops = "for (int t = 0; t < 9; t++) for (int i = 0; i < s.n; i++) { p[i] = q[i] + s.w; b.d[i] += 1; }"
    nest = parsed.nests_of(f"{DECLARED}void f(int n) {{ double *p = 0, *q = 0; shape s; box b; {body} {loops} }}")[-1]
    return {array.name: array.may_point_into for array in nest.arrays}


@pytest.mark.parametrize("body", APART)
def test_separate_allocations_do_not_overlap_however_they_are_handed_out(body: str) -> None:
    found = may_meet(body)
    assert "q" not in found["p"]
    assert found["q"] == ()
    assert found.get("s", ()) == ()


@pytest.mark.parametrize("body", MEETING)
def test_memory_that_may_be_the_same_is_told(body: str) -> None:
    assert "q" in may_meet(body)["p"]


def test_memory_that_a_structure_holds_too_is_told() -> None:
    assert may_meet("in_a_box(&b, &p, &q);")["p"] == ("b.d",)


TIME_LOOP = """
void *malloc(unsigned long); void *calloc(unsigned long, unsigned long);
typedef struct { int nx, ny, steps; float relax; } settings; typedef struct { float s[5]; } cell;
int fscanf(void *, const char *, ...); void exit(int); void *fopen(const char *, const char *); int fclose(void *);
static int setup(const char *name, settings *set, cell **grid, cell **other, int **wall, float **mean)
{
    void *in = fopen(name, "r");
    if (!in || fscanf(in, "%d %d %d %f", &set->nx, &set->ny, &set->steps, &set->relax) != 4) exit(1);
    fclose(in);
    *grid = malloc(sizeof(cell) * set->ny * set->nx);
    *other = malloc(sizeof(cell) * set->ny * set->nx);
    *wall = calloc(set->ny * set->nx, sizeof(int));
    *mean = malloc(sizeof(float) * set->steps);
    return 0;
}
static void move(const settings set, cell *grid, cell *other)
{
    for (int j = 1; j < set.ny - 1; j++)
        for (int i = 1; i < set.nx - 1; i++) {
            other[i + j * set.nx].s[0] = grid[i + j * set.nx].s[0];
            other[i + j * set.nx].s[1] = grid[i - 1 + j * set.nx].s[1];
        }
}
static void collide(const settings set, cell *grid, cell *other, int *wall)
{
    for (int j = 0; j < set.ny; j++)
        for (int i = 0; i < set.nx; i++)
            if (!wall[i + j * set.nx])
                for (int k = 0; k < 5; k++)
                    grid[i + j * set.nx].s[k] = set.relax * other[i + j * set.nx].s[k];
}
int main(int argc, char **argv)
{
    settings set; cell *grid = 0, *other = 0; int *wall = 0; float *mean = 0;
    setup(argv[1], &set, &grid, &other, &wall, &mean);
    for (int t = 0; t < set.steps; t++) {
        move(set, grid, other);
        collide(set, grid, other, wall);
        mean[t] = grid[t].s[0];
    }
    return mean[0] > 0;
}
"""


def test_sweeps_over_memory_of_one_set_up_are_parallel_in_the_time_loop() -> None:
    nest = parsed.nests_of(TIME_LOOP)[-1]
    kinds = [verdict.kind for verdict in analyse_nest(nest).verdicts]
    assert kinds == ["carried", *["parallel"] * 5]
    assert {"set.nx", "set.ny"} <= set(nest.parameters)
