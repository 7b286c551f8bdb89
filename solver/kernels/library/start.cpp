/* What kernels need besides numba's runtime of reference counts (nrt.cpp). */
#include <cstdint>

extern "C" void NRT_MemSys_init(void);
namespace {
struct Begin {
    Begin() { NRT_MemSys_init(); }
} begin;
}

/* Numba's reshape, of arrays that are contiguous: 1 where it can be done without a copy. */
extern "C" int numba_attempt_nocopy_reshape(intptr_t nd, const intptr_t *dims, const intptr_t *strides, intptr_t newnd,
                                            const intptr_t *newdims, intptr_t *newstrides, intptr_t itemsize, int)
{
    intptr_t step = itemsize;
    for (intptr_t i = nd - 1; i >= 0; i--) {
        if (dims[i] > 1 && strides[i] != step) return 0;
        step *= dims[i];
    }
    step = itemsize;
    for (intptr_t i = newnd - 1; i >= 0; i--) {
        newstrides[i] = step;
        step *= newdims[i];
    }
    return 1;
}
