/* HeCBench matrixT-cuda, kernel copy (BSD-3-Clause). */
void copy(int width, int height, float *odata, const float *idata)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            odata[y * width + x] = idata[y * width + x];
}
