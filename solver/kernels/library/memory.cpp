/* What kernels call of numba's runtime, written for a library: memory of arrays with counts of references, and reshape.

   A call's arrays are seen by the thread of the call alone: those that it was given have no Info, and those it returns
   are counted down under Python's lock. So counting needs no atomic operations. A small step makes and drops some
   hundred arrays, most below a page: what a thread drops it takes again, without asking the system. */
#include <cstddef>
#include <cstdint>
#include <cstdlib>

/* What is rare is no part of a function that is called often. */
#ifdef _MSC_VER
#define APART __declspec(noinline)
#else
#define APART __attribute__((noinline))
#endif

namespace {
/* As numba's kernels read it: their code takes `data` itself. */
struct Info {
    size_t count;
    void (*drop)(void *, size_t, void *);
    void *with;
    void *data;
    size_t size;
    void *unused;
};
/* Before the memory of an array, which begins on a line of the cache; kind: how many lines it has. */
struct Block {
    size_t kind;
    Block *next;
    Info info;
};
const size_t LINE = 64, KINDS = 65;
/* Most that a thread keeps of a kind [bytes]. */
const size_t KEPT = 1 << 16;
static_assert(sizeof(Block) == LINE, "data begins on a line");

APART Block *made(size_t kind)
{
    void *memory = nullptr;
#ifdef _WIN32
    memory = _aligned_malloc((kind + 1) * LINE, LINE);
#else
    if (posix_memalign(&memory, LINE, (kind + 1) * LINE)) return nullptr;
#endif
    Block *block = static_cast<Block *>(memory);
    if (block) *block = {kind, nullptr, {1, nullptr, nullptr, block + 1, 0, nullptr}};
    return block;
}

APART void gone(Block *block)
{
#ifdef _WIN32
    _aligned_free(block);
#else
    free(block);
#endif
}
}

#if defined(__linux__) || defined(__APPLE__)
#include <pthread.h>

namespace {
/* Blocks that a thread keeps, and how many more it would, by kind. */
struct Kept {
    Block *first[KINDS];
    size_t room[KINDS];
};
/* Without a call of the loader at each use. */
#ifdef __linux__
__attribute__((tls_model("initial-exec")))
#endif
thread_local Kept *mine;
pthread_key_t at_exit;

void forget(void *given)
{
    Kept *kept = static_cast<Kept *>(given);
    for (size_t kind = 0; kind < KINDS; kind++)
        while (Block *block = kept->first[kind]) {
            kept->first[kind] = block->next;
            gone(block);
        }
    free(kept);
    mine = nullptr;
}

struct Begin {
    bool keeps;
    Begin() { keeps = pthread_key_create(&at_exit, forget) == 0; }
} begin;

void put(Kept *kept, Block *block)
{
    size_t kind = block->kind;
    if (kind >= KINDS || !kept->room[kind]) return gone(block);
    block->next = kept->first[kind];
    kept->first[kind] = block;
    kept->room[kind]--;
}

APART void give_first(Block *block)
{
    Kept *kept = begin.keeps ? static_cast<Kept *>(calloc(1, sizeof(Kept))) : nullptr;
    if (!kept) return gone(block);
    for (size_t kind = 0; kind < KINDS; kind++) kept->room[kind] = KEPT / LINE / (kind + 1);
    pthread_setspecific(at_exit, kept);
    mine = kept;
    put(kept, block);
}

Block *take(size_t kind)
{
    Kept *kept = mine;
    Block *block = kept && kind < KINDS ? kept->first[kind] : nullptr;
    if (!block) return made(kind);
    kept->first[kind] = block->next;
    kept->room[kind]++;
    block->info.count = 1;
    return block;
}

void give(Block *block)
{
    Kept *kept = mine;
    kept ? put(kept, block) : give_first(block);
}
}
#else
namespace {
Block *take(size_t kind) { return made(kind); }
void give(Block *block) { gone(block); }
}
#endif

extern "C" Info *NRT_MemInfo_alloc_aligned(size_t size, unsigned)
{
    Block *block = size + 2 * LINE < size ? nullptr : take((size + LINE - 1) / LINE);
    return block ? &block->info : nullptr;
}

/* A list: its data is apart. */
APART static void drop_apart(Info *info, Block *block)
{
    info->drop(info->data, info->size, info->with);
    gone(block);
}

extern "C" void NRT_MemInfo_call_dtor(Info *info)
{
    Block *block = reinterpret_cast<Block *>(reinterpret_cast<char *>(info) - offsetof(Block, info));
    info->drop ? drop_apart(info, block) : give(block);
}

/* What Python holds of an array that a call returned. */
extern "C" void NRT_decref(Info *info)
{
    if (!--info->count) NRT_MemInfo_call_dtor(info);
}

/* A list: an Info whose data is apart, so that it may grow; with: what drops its items. */
static void drop_list(void *data, size_t, void *with)
{
    if (with) reinterpret_cast<void (*)(void *)>(with)(data);
    free(data);
}

extern "C" Info *NRT_MemInfo_new_varsize_dtor(size_t size, void *with)
{
    Info *info = NRT_MemInfo_alloc_aligned(0, LINE);
    void *data = info ? malloc(size) : nullptr;
    if (!data && info) NRT_MemInfo_call_dtor(info);
    if (!data) return nullptr;
    *info = {1, drop_list, with, data, size, nullptr};
    return info;
}

extern "C" void *NRT_MemInfo_varsize_realloc(Info *info, size_t size)
{
    void *data = realloc(info->data, size);
    if (data) info->data = data, info->size = size;
    return data;
}

/* What a kernel that raises says. */
extern "C" void *NRT_Allocate(size_t size) { return malloc(size); }
extern "C" void NRT_Free(void *memory) { free(memory); }

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
