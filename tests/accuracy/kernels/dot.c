/* Dot product of two vectors. */
float dot(int n, const float *restrict a, const float *restrict b) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
