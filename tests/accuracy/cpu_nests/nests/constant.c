enum { N = 600, M = 2000 };
double ca[N][N], cb[N][N], cc[N][N];
float fa[M][M], fb[M][M];
double sums[M];
void constant_gemm(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) cc[i][j] += ca[i][k] * cb[k][j];
}
void constant_column_scale(void) {
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) fa[i][j] = fa[i][j] * 0.5f + 1.0f;
}
void constant_jacobi(void) {
    for (int i = 1; i < M - 1; i++)
        for (int j = 1; j < M - 1; j++)
            fb[i][j] = 0.2f * (fa[i][j] + fa[i][j - 1] + fa[i][j + 1] + fa[i - 1][j] + fa[i + 1][j]);
}
void constant_transpose(void) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) fb[j][i] = fa[i][j];
}
