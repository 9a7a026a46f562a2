/* A maximum. */
float largest(int n, const float *x)
{
    // warplens: n = 33554432
    float most = x[0];
    for (int i = 0; i < n; i++)
        if (x[i] > most)
            most = x[i];
    return most;
}
