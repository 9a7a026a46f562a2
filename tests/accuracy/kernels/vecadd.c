/* Sum of two vectors. */
void vecadd(int n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
