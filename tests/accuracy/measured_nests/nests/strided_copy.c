/* Every s-th element is read. */
void strided_copy(int n, int s, const float *restrict x, float *restrict y)
{
    // warplens: n = 4194304, s = 8
    for (int i = 0; i < n; i++)
        y[i] = x[s * i];
}
