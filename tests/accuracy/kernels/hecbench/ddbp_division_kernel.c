/* HeCBench ddbp, kernel division_kernel (BSD-3-Clause). */
void division_kernel(double *d_img, const int nPixX, const int nPixY, const int nSlices, const int nProj)
{
    for (int pz = 0; pz < nSlices; pz++)
        for (int py = 0; py < nPixX; py++)
            for (int px = 0; px < nPixY; px++) {
                const int pos = (nPixX*nPixY*pz) + (py * nPixY) + px;
                d_img[pos] /= (double) nProj;
            }
}
