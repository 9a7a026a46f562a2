/* HeCBench dslash, kernel dslash (BSD-3-Clause). */
typedef unsigned long size_t;

typedef struct {
   double real;
   double imag;
} dcomplex;

typedef struct { dcomplex e[3][3]; } su3_matrix;
typedef struct { dcomplex c[3]; } su3_vector;

#define CADD(a,b,c)    { (c).real = (a).real + (b).real;  \
                         (c).imag = (a).imag + (b).imag; }
#define CSUB(a,b,c)    { (c).real = (a).real - (b).real;  \
                         (c).imag = (a).imag - (b).imag; }
#define CMULSUM(a,b,c) { (c).real += (a).real*(b).real - (a).imag*(b).imag; \
                         (c).imag += (a).real*(b).imag + (a).imag*(b).real; }

static void mult_su3_mat_vec(const su3_matrix *a, const su3_vector *b, su3_vector *c);
static void mult_su3_mat_vec_sum(const su3_matrix *a, const su3_vector *b, su3_vector *c);
static void add_su3_vector(const su3_vector *a, const su3_vector *b, su3_vector *c);
static void sub_su3_vector(const su3_vector *a, const su3_vector *b, su3_vector *c);

void dslash(const su3_matrix *restrict d_fat, const su3_matrix *restrict d_lng, const su3_matrix *restrict d_fatbck,
            const su3_matrix *restrict d_lngbck, const su3_vector *restrict d_src, su3_vector *restrict d_dst,
            const size_t *restrict d_fwd, const size_t *restrict d_bck, const size_t *restrict d_fwd3,
            const size_t *restrict d_bck3, const int total_even_sites)
{
    for (size_t mySite = 0; mySite < total_even_sites; mySite++) {
        su3_vector v;
        for (size_t k=0; k<4; ++k) {
            const su3_matrix *a = d_fat + mySite*4 + k;
            const su3_vector *b = d_src + d_fwd[4*mySite + k];
            if (k == 0)
                mult_su3_mat_vec(a, b, &d_dst[mySite]);
            else
                mult_su3_mat_vec_sum(a, b, &d_dst[mySite]);
        }
        for (size_t k=0; k<4; ++k) {
            const su3_matrix *a = d_lng + mySite*4 + k;
            const su3_vector *b = d_src + d_fwd3[4*mySite + k];
            if (k == 0)
                mult_su3_mat_vec(a, b, &v);
            else
                mult_su3_mat_vec_sum(a, b, &v);
        }
        add_su3_vector(&d_dst[mySite], &v, &d_dst[mySite]);
        for (size_t k=0; k<4; ++k) {
            const su3_matrix *a = d_fatbck + mySite*4 + k;
            const su3_vector *b = d_src + d_bck[4*mySite + k];
            if (k == 0)
                mult_su3_mat_vec(a, b, &v);
            else
                mult_su3_mat_vec_sum(a, b, &v);
        }
        sub_su3_vector(&d_dst[mySite], &v, &d_dst[mySite]);
        for (size_t k=0; k<4; ++k) {
            const su3_matrix *a = d_lngbck + mySite*4 + k;
            const su3_vector *b = d_src + d_bck3[4*mySite + k];
            if (k == 0)
                mult_su3_mat_vec(a, b, &v);
            else
                mult_su3_mat_vec_sum(a, b, &v);
        }
        sub_su3_vector(&d_dst[mySite], &v, &d_dst[mySite]);
    }
}

static void mult_su3_mat_vec(const su3_matrix *a, const su3_vector *b, su3_vector *c)
{
    int i,j;
    for (i=0;i<3;i++) {
        dcomplex x = {0.0, 0.0};
        for (j=0;j<3;j++) {
            CMULSUM( a->e[i][j] , b->c[j] , x );
        }
        c->c[i] = x;
    }
}

static void mult_su3_mat_vec_sum(const su3_matrix *a, const su3_vector *b, su3_vector *c)
{
    int i,j;
    for (i=0;i<3;i++) {
        dcomplex x = {0.0, 0.0};
        for (j=0;j<3;j++) {
            CMULSUM( a->e[i][j] , b->c[j] , x );
        }
        c->c[i].real += x.real;
        c->c[i].imag += x.imag;
    }
}

static void add_su3_vector(const su3_vector *a, const su3_vector *b, su3_vector *c)
{
    int i;
    for (i=0;i<3;i++) {
        CADD( a->c[i], b->c[i], c->c[i] );
    }
}

static void sub_su3_vector(const su3_vector *a, const su3_vector *b, su3_vector *c)
{
    int i;
    for (i=0;i<3;i++) {
        CSUB( a->c[i], b->c[i], c->c[i] );
    }
}
