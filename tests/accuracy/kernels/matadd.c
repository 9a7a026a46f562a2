/* Sum of two n x n matrices. */
void matadd(int n, const float *restrict a, const float *restrict b, float *restrict s) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i * n + j] = a[i * n + j] + b[i * n + j];
}
