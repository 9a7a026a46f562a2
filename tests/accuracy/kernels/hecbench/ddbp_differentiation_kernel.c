/* HeCBench ddbp, kernel differentiation_kernel (BSD-3-Clause). */
#include <math.h>

void differentiation_kernel(double *restrict d_pVolume, const double *restrict d_sliceI, double tubeX, double rtubeY,
                            double rtubeZ, const double *restrict const d_pObjX, const double *restrict const d_pObjY,
                            const double *restrict const d_pObjZ, const int nPixX, const int nPixY, const int nPixXMap,
                            const int nPixYMap, const double du, const double dv, const double dx, const double dy,
                            const double dz, const int nz)
{
    for (int py = 0; py < nPixX; py++)
        for (int px = 0; px < nPixY; px++) {
            const int pos = (nPixX*nPixY*nz) + (py * nPixY) + px;

            int coordA = py * nPixYMap + px;
            int coordB = ((py + 1) * nPixYMap) + px;
            int coordC = coordA + 1;
            int coordD = coordB + 1;

            double gamma = atan((d_pObjX[py] + (dx / 2.0) - tubeX) / (rtubeZ - d_pObjZ[nz]));

            double alpha = atan((d_pObjY[px] + (dy / 2.0) - rtubeY) / (rtubeZ - d_pObjZ[nz]));

            double dA, dB, dC, dD;

            dA = d_sliceI[coordA];
            dB = d_sliceI[coordB];
            dC = d_sliceI[coordC];
            dD = d_sliceI[coordD];

            if (dC == 0 && dD == 0) {
                dC = dA;
                dD = dB;
            }

            d_pVolume[pos] += ((dD - dC - dB + dA)*(du*dv*dz / (cos(alpha)*cos(gamma)*dx*dy)));
        }
}
