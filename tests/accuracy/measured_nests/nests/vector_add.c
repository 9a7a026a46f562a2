/* Streams: two in, one out. */
void vector_add(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
    // warplens: n = 33554432
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
