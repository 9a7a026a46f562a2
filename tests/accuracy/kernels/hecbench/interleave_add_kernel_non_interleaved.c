/* HeCBench interleave-cuda, kernel add_kernel_non_interleaved (BSD-3-Clause). */
#define NUM_ELEMENTS 4096
#define COUNT 4096

typedef unsigned int ARRAY_MEMBER_T[NUM_ELEMENTS];

typedef struct {
    ARRAY_MEMBER_T s0;
    ARRAY_MEMBER_T s1;
    ARRAY_MEMBER_T s2;
    ARRAY_MEMBER_T s3;
    ARRAY_MEMBER_T s4;
    ARRAY_MEMBER_T s5;
    ARRAY_MEMBER_T s6;
    ARRAY_MEMBER_T s7;
    ARRAY_MEMBER_T s8;
    ARRAY_MEMBER_T s9;
    ARRAY_MEMBER_T sa;
    ARRAY_MEMBER_T sb;
    ARRAY_MEMBER_T sc;
    ARRAY_MEMBER_T sd;
    ARRAY_MEMBER_T se;
    ARRAY_MEMBER_T sf;
} NON_INTERLEAVED_T;

void add_kernel_non_interleaved(NON_INTERLEAVED_T *const dest_ptr, const NON_INTERLEAVED_T *const src_ptr,
                                const unsigned int num_elements)
{
    for (unsigned int tid = 0; tid < num_elements; tid++)
        for (unsigned int i = 0; i < COUNT; i++) {
            dest_ptr->s0[tid] += src_ptr->s0[tid];
            dest_ptr->s1[tid] += src_ptr->s1[tid];
            dest_ptr->s2[tid] += src_ptr->s2[tid];
            dest_ptr->s3[tid] += src_ptr->s3[tid];
            dest_ptr->s4[tid] += src_ptr->s4[tid];
            dest_ptr->s5[tid] += src_ptr->s5[tid];
            dest_ptr->s6[tid] += src_ptr->s6[tid];
            dest_ptr->s7[tid] += src_ptr->s7[tid];
            dest_ptr->s8[tid] += src_ptr->s8[tid];
            dest_ptr->s9[tid] += src_ptr->s9[tid];
            dest_ptr->sa[tid] += src_ptr->sa[tid];
            dest_ptr->sb[tid] += src_ptr->sb[tid];
            dest_ptr->sc[tid] += src_ptr->sc[tid];
            dest_ptr->sd[tid] += src_ptr->sd[tid];
            dest_ptr->se[tid] += src_ptr->se[tid];
            dest_ptr->sf[tid] += src_ptr->sf[tid];
        }
}
