void convolution_2d(long n, const float *restrict image, const float *restrict weights, float *restrict out) {
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++) {
            float sum = 0.0f;
            for (long p = 0; p < 3; p++)
                for (long q = 0; q < 3; q++) sum += weights[p * 3 + q] * image[(i + p - 1) * n + j + q - 1];
            out[i * n + j] = sum;
        }
}
