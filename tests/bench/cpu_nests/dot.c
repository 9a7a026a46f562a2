float dot(long n, const float *a, const float *b) {
    float sum = 0.0f;
    for (long i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
