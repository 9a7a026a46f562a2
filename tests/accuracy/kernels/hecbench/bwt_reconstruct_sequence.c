/* HeCBench bwt, kernel reconstruct_sequence (BSD-3-Clause). Each thread had one trip of its grid-stride loop. */
void reconstruct_sequence(const int *restrict table, const char *restrict sequence, char *restrict transformed_sequence, int n)
{
    for (int i = 0; i < n; i++) {
        transformed_sequence[i] = sequence[(n + table[i] - 1) % n];
    }
}
