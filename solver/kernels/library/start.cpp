/* What kernels need besides numba's runtime of reference counts (nrt.cpp). */
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" void NRT_MemSys_init(void);
extern "C" void NRT_MemSys_set_allocator(void *(*)(size_t), void *(*)(void *, size_t), void (*)(void *));

#if defined(__linux__) || defined(__APPLE__)
#include <pthread.h>

/* Memory of arrays. A small step makes and drops some hundred of them, most below a page: what a thread drops it takes
 * again, without asking the system. Before each block lies its class; larger ones are the system's. */
namespace {
const size_t GRAIN = 64, CLASSES = 64, HEAD = 16;
/* Most that a thread keeps of a class [bytes]. */
const size_t KEPT = 1 << 16;

struct Block {
    size_t kind;
    Block *next;
};
struct Kept {
    Block *first[CLASSES];
    size_t count[CLASSES];
};
thread_local Kept *mine;
pthread_key_t at_exit;

void drop(void *given)
{
    Kept *kept = static_cast<Kept *>(given);
    for (size_t kind = 0; kind < CLASSES; kind++)
        while (Block *block = kept->first[kind]) {
            kept->first[kind] = block->next;
            free(block);
        }
    free(kept);
    mine = nullptr;
}

Kept *ours()
{
    if (!mine) {
        mine = static_cast<Kept *>(calloc(1, sizeof(Kept)));
        pthread_setspecific(at_exit, mine);
    }
    return mine;
}

void *take(size_t size)
{
    size_t kind = (size + HEAD - 1) / GRAIN;
    Block *block = nullptr;
    if (kind < CLASSES) {
        Kept *kept = ours();
        block = kept ? kept->first[kind] : nullptr;
        if (block) {
            kept->first[kind] = block->next;
            kept->count[kind]--;
        }
    }
    if (!block) {
        size_t whole = (kind + 1) * GRAIN;
        block = whole < size ? nullptr : static_cast<Block *>(malloc(whole));
        if (!block) return nullptr;
        block->kind = kind;
    }
    return reinterpret_cast<char *>(block) + HEAD;
}

void give(void *memory)
{
    if (!memory) return;
    Block *block = reinterpret_cast<Block *>(static_cast<char *>(memory) - HEAD);
    size_t kind = block->kind;
    Kept *kept = kind < CLASSES ? ours() : nullptr;
    if (!kept || (kept->count[kind] + 1) * (kind + 1) * GRAIN > KEPT) {
        free(block);
        return;
    }
    block->next = kept->first[kind];
    kept->first[kind] = block;
    kept->count[kind]++;
}

void *resize(void *memory, size_t size)
{
    void *made = take(size);
    if (!made || !memory) return made;
    size_t kind = reinterpret_cast<Block *>(static_cast<char *>(memory) - HEAD)->kind;
    size_t held = (kind + 1) * GRAIN - HEAD;
    memcpy(made, memory, held < size ? held : size);
    give(memory);
    return made;
}

struct Begin {
    Begin()
    {
        NRT_MemSys_init();
        if (pthread_key_create(&at_exit, drop) == 0) NRT_MemSys_set_allocator(take, resize, give);
    }
} begin;
}
#else
namespace {
struct Begin {
    Begin() { NRT_MemSys_init(); }
} begin;
}
#endif

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
