/* Iterations meet in one element. */
void histogram(int n, int bins, const int bin[n], int count[bins])
{
    // warplens: n = 16777216, bins = 1024
    for (int i = 0; i < n; i++)
        count[bin[i]] += 1;
}
