/* HeCBench mrc, kernel MRCGradient2 (BSD-3-Clause). */
void MRCGradient2(const int N, const int *Y, const float *X1, const float *X2, const float *dOutput, const float margin,
                  float *restrict dX1, float *restrict dX2)
{
    for (int i = 0; i < N; i++) {
        float y = Y[i];
        float o = dOutput[i];
        float dist = -y * (X1[i] - X2[i]) + margin;
        dX1[i] = dist < 0.f ? 0.f : -y * o;
        dX2[i] = dist < 0.f ? 0.f : y * o;
    }
}
