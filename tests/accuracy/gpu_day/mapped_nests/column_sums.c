/* Sums of columns, added row by row as C likes to read them. */
void column_sums(int n, int m, const float a[n][m], float s[m])
{
    // warplens: n = 16384, m = 1024
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s[j] += a[i][j];
}
