/* Rows become columns: without a tile in shared memory either the reads or the writes are strided. */
// warplens: rows = 8192, columns = 8192

void transpose(int rows, int columns, const float in[rows][columns], float out[columns][rows])
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            out[j][i] = in[i][j];
}
