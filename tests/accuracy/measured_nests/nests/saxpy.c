/* One array is read and written. */
void saxpy(int n, float alpha, const float *restrict x, float *restrict y)
{
    // warplens: n = 33554432
    for (int i = 0; i < n; i++)
        y[i] += alpha * x[i];
}
