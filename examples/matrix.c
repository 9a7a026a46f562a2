/* Dense linear algebra as it is usually first written. */
#define N 1024

static float A[N][N], B[N][N], C[N][N];

void gemm(float alpha, float beta)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < N; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
        }
}

void transpose(int n, double *restrict out, const double *restrict in)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j * n + i] = in[i * n + j];
}

/* Row per iteration: as threads, neighbours are a row apart. */
void gemv(int n, const float *restrict a, const float *restrict x, float *restrict y)
{
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k < n; k++)
            s += a[i * n + k] * x[k];
        y[i] = s;
    }
}

double dot(int n, const double *x, const double *y)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

void lu(int n, double a[n][n])
{
    for (int k = 0; k < n; k++) {
        for (int j = k + 1; j < n; j++)
            a[k][j] = a[k][j] / a[k][k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}
