/* HeCBench ddbp, kernel bilinear_interpolation_kernel (BSD-3-Clause). */
#include <math.h>

void bilinear_interpolation_kernel(double *restrict d_sliceI, const double *restrict d_pProj, const double *restrict d_pObjX,
                                   const double *restrict d_pObjY, const double *restrict d_pDetmX,
                                   const double *restrict d_pDetmY, const int nPixXMap, const int nPixYMap,
                                   const int nDetXMap, const int nDetYMap, const int nDetX, const int nDetY, const int np)
{
    for (int py = 0; py < nPixXMap; py++)
        for (int px = 0; px < nPixYMap; px++) {
            const double xNormData = nDetX - d_pObjX[py] / d_pDetmX[0];
            const int xData = floor(xNormData);
            const double alpha = xNormData - xData;

            const double yNormData = (d_pObjY[px] / d_pDetmX[0]) - (d_pDetmY[0] / d_pDetmX[0]);
            const int yData = floor(yNormData);
            const double beta = yNormData - yData;

            double d00, d01, d10, d11;
            if (((xNormData) >= 0) && ((xNormData) <= nDetX) && ((yNormData) >= 0) && ((yNormData) <= nDetY))
                d00 = d_pProj[(np*nDetYMap*nDetXMap) + (xData*nDetYMap + yData)];
            else
                d00 = 0.0;

            if (((xData + 1) > 0) && ((xData + 1) <= nDetX) && ((yNormData) >= 0) && ((yNormData) <= nDetY))
                d10 = d_pProj[(np*nDetYMap*nDetXMap) + ((xData + 1)*nDetYMap + yData)];
            else
                d10 = 0.0;

            if (((xNormData) >= 0) && ((xNormData) <= nDetX) && ((yData + 1) > 0) && ((yData + 1) <= nDetY))
                d01 = d_pProj[(np*nDetYMap*nDetXMap) + (xData*nDetYMap + yData + 1)];
            else
                d01 = 0.0;

            if (((xData + 1) > 0) && ((xData + 1) <= nDetX) && ((yData + 1) > 0) && ((yData + 1) <= nDetY))
                d11 = d_pProj[(np*nDetYMap*nDetXMap) + ((xData + 1)*nDetYMap + yData + 1)];
            else
                d11 = 0.0;

            double result_temp1 = alpha * d10 + (-d00 * alpha + d00);
            double result_temp2 = alpha * d11 + (-d01 * alpha + d01);

            d_sliceI[py * nPixYMap + px] = beta * result_temp2 + (-result_temp1 * beta + result_temp1);
        }
}
