/* Subscripts from memory, at random. */
void gather(int n, int m, const float x[m], const int index[n], float y[n])
{
    // warplens: n = 16777216, m = 16777216
    for (int i = 0; i < n; i++)
        y[i] = x[index[i]];
}
