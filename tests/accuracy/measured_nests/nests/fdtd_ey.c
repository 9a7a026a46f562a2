/* PolyBench's FDTD: the update of one field by the curl of another. */
void fdtd_ey(int n, int m, const float hz[n][m], float ey[n][m])
{
    // warplens: n = 8192, m = 8192
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++)
            ey[i][j] -= 0.5f * (hz[i][j] - hz[i - 1][j]);
}
