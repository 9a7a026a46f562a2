"""Loops of three functions: one calls `square`, one calls it through `shifted`, one calls nothing."""

CALLING_LOOPS = """\
void direct(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = square(a[i]);
}

void through_another(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = shifted(a[i]);
}

void neither(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}
"""
