/* HeCBench dslash, kernel make_back (BSD-3-Clause). */
typedef unsigned long size_t;

typedef struct {
   double real;
   double imag;
} dcomplex;

typedef struct { dcomplex e[3][3]; } su3_matrix;
typedef struct { dcomplex c[3]; } su3_vector;

#define CONJG(a,b)     { (b).real = (a).real; (b).imag = -(a).imag; }

static void su3_adjoint(const su3_matrix *a, su3_matrix *b);

void make_back(const su3_matrix *restrict d_fat, const su3_matrix *restrict d_lng, const size_t *restrict d_bck,
               const size_t *restrict d_bck3, su3_matrix *restrict d_fatbck, su3_matrix *restrict d_lngbck,
               const int total_even_sites)
{
    for (size_t mySite = 0; mySite < total_even_sites; mySite++) {
        for (int dir = 0; dir < 4; dir++) {
            su3_adjoint( d_fat + 4*d_bck[4*mySite+dir]+dir, d_fatbck + 4*mySite+dir );
            su3_adjoint( d_lng + 4*d_bck3[4*mySite+dir]+dir, d_lngbck + 4*mySite+dir );
        }
    }
}

static void su3_adjoint(const su3_matrix *a, su3_matrix *b)
{
    int i,j;
    for (i=0;i<3;i++) for (j=0;j<3;j++) {
        CONJG( a->e[j][i], b->e[i][j] );
    }
}
