/* Heat diffusion on a plate: a five-point stencil, two grids, a residual; the kind of loop people have. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// warplens: n = 4096

/* One time step: every inner point becomes the mean of its neighbours. */
static void step(int n, const double *restrict old, double *restrict new_)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            new_[i * n + j] = 0.25 * (old[(i - 1) * n + j] + old[(i + 1) * n + j]
                                      + old[i * n + j - 1] + old[i * n + j + 1]);
}

/* How far two grids are apart. */
static double residual(int n, const double *restrict a, const double *restrict b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double d = a[i * n + j] - b[i * n + j];
            sum += d * d;
        }
    return sqrt(sum);
}

/* Gauss-Seidel in place: reads what this sweep has already written. */
static void relax_in_place(int n, double *u)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j]
                                   + u[i * n + j - 1] + u[i * n + j + 1]);
}

/* The same grid, columns first: right answer, wrong order for memory. */
static void scale_columns(int n, double *restrict u, const double *restrict factor)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            u[i * n + j] *= factor[j];
}

int main(void)
{
    int n = 4096, steps = 500;
    double *a = calloc((size_t)n * n, sizeof *a);
    double *b = calloc((size_t)n * n, sizeof *b);
    double *factor = malloc(n * sizeof *factor);
    if (!a || !b || !factor)
        return 1;
    for (int j = 0; j < n; j++) {
        a[j] = b[j] = 100.0;
        factor[j] = 1.0 - 1e-6 * j;
    }
    for (int s = 0; s < steps; s++) {
        step(n, a, b);
        double *swap = a;
        a = b;
        b = swap;
    }
    relax_in_place(n, a);
    scale_columns(n, a, factor);
    printf("residual %g\n", residual(n, a, b));
    free(a);
    free(b);
    free(factor);
    return 0;
}
