/* HeCBench matrixT, kernel transposeNaive (BSD-3-Clause). The loop over rows of a tile has one trip. */
void transposeNaive(float *restrict odata, const float *restrict idata, int width, int height)
{
    for (int yIndex = 0; yIndex < height; yIndex++)
        for (int xIndex = 0; xIndex < width; xIndex++) {
            int index_in = xIndex + width * yIndex;
            int index_out = yIndex + height * xIndex;

            odata[index_out] = idata[index_in];
        }
}
