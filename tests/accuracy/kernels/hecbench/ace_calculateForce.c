/* HeCBench ace, kernel calculateForce (BSD-3-Clause). */
#define DATAXSIZE 400
#define DATAYSIZE 400
#define DATAZSIZE 400
#define SQ(x) ((x)*(x))

static double GradientX(double phi[][DATAYSIZE][DATAZSIZE], double dx, double dy, double dz, int x, int y, int z)
{
    return (phi[x+1][y][z] - phi[x-1][y][z]) / (2.0*dx);
}

static double GradientY(double phi[][DATAYSIZE][DATAZSIZE], double dx, double dy, double dz, int x, int y, int z)
{
    return (phi[x][y+1][z] - phi[x][y-1][z]) / (2.0*dy);
}

static double GradientZ(double phi[][DATAYSIZE][DATAZSIZE], double dx, double dy, double dz, int x, int y, int z)
{
    return (phi[x][y][z+1] - phi[x][y][z-1]) / (2.0*dz);
}

static double An(double phix, double phiy, double phiz, double epsilon)
{
    if (phix != 0.0 || phiy != 0.0 || phiz != 0.0) {
        return ((1.0 - 3.0 * epsilon) * (1.0 + (((4.0 * epsilon) / (1.0-3.0*epsilon))*
               ((SQ(phix)*SQ(phix)+SQ(phiy)*SQ(phiy)+SQ(phiz)*SQ(phiz)) /
               ((SQ(phix)+SQ(phiy)+SQ(phiz))*(SQ(phix)+SQ(phiy)+SQ(phiz)))))));
    }
    else
    {
        return (1.0-((5.0/3.0)*epsilon));
    }
}

static double Wn(double phix, double phiy, double phiz, double epsilon, double W0)
{
    return (W0*An(phix,phiy,phiz,epsilon));
}

static double dFunc(double l, double m, double n)
{
    if (l != 0.0 || m != 0.0 || n != 0.0) {
        return (((l*l*l*(SQ(m)+SQ(n)))-(l*(SQ(m)*SQ(m)+SQ(n)*SQ(n)))) /
                ((SQ(l)+SQ(m)+SQ(n))*(SQ(l)+SQ(m)+SQ(n))));
    }
    else
    {
        return 0.0;
    }
}

void calculateForce(double phi[][DATAYSIZE][DATAZSIZE], double Fx[][DATAYSIZE][DATAZSIZE],
                    double Fy[][DATAYSIZE][DATAZSIZE], double Fz[][DATAYSIZE][DATAZSIZE],
                    double dx, double dy, double dz, double epsilon, double W0, double tau0)
{
    for (unsigned ix = 0; ix < DATAXSIZE; ix++)
        for (unsigned iy = 0; iy < DATAYSIZE; iy++)
            for (unsigned iz = 0; iz < DATAZSIZE; iz++) {
                if ((ix < (DATAXSIZE-1)) && (iy < (DATAYSIZE-1)) &&
                    (iz < (DATAZSIZE-1)) && (ix > (0)) &&
                    (iy > (0)) && (iz > (0))) {

                    double phix = GradientX(phi,dx,dy,dz,ix,iy,iz);
                    double phiy = GradientY(phi,dx,dy,dz,ix,iy,iz);
                    double phiz = GradientZ(phi,dx,dy,dz,ix,iy,iz);
                    double sqGphi = SQ(phix) + SQ(phiy) + SQ(phiz);
                    double c = 16.0 * W0 * epsilon;
                    double w = Wn(phix,phiy,phiz,epsilon,W0);
                    double w2 = SQ(w);

                    Fx[ix][iy][iz] = w2 * phix + sqGphi * w * c * dFunc(phix,phiy,phiz);
                    Fy[ix][iy][iz] = w2 * phiy + sqGphi * w * c * dFunc(phiy,phiz,phix);
                    Fz[ix][iy][iz] = w2 * phiz + sqGphi * w * c * dFunc(phiz,phix,phiy);
                }
                else
                {
                    Fx[ix][iy][iz] = 0.0;
                    Fy[ix][iy][iz] = 0.0;
                    Fz[ix][iy][iz] = 0.0;
                }
            }
}
