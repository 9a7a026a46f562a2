/* A permutation says where to write. */
void scatter(int n, const float x[n], const int index[n], float y[n])
{
    // warplens: n = 16777216, index is a permutation
    for (int i = 0; i < n; i++)
        y[index[i]] = x[i];
}
