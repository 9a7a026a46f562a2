/* Memory of the device on which clang's OpenMP runs regions beside the host (libomptarget's plugin for the host's own
 * processor): pages of its own for each block, nothing readable in front of it and behind it, garbage in it. Preloaded; only
 * what the plugin allocates is treated so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, ALIGNMENT = 8, GARBAGE = 0x5b, MAGIC = 0x44455649, CALLERS = 4096 };

/* The last word of the page in front of a block, which is readable, says where its pages start and how many there are. */
struct block {
    uint64_t magic, length_bytes;
    char *pages;
};

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

/* The plugin jumps to malloc, which returns to the library that called the plugin; new and delete are called from elsewhere.
 * To look a caller up takes long: each is remembered, with the answer as the lowest bit.
 */
static int is_plugin(void *caller)
{
    static _Atomic uintptr_t known[CALLERS];
    uintptr_t at = (uintptr_t)caller, one = known[at % CALLERS];
    if (one >> 1 == at)
        return one & 1;
    Dl_info found;
    int is_its = dladdr(caller, &found) && found.dli_fname && strstr(found.dli_fname, "libomptarget");
    known[at % CALLERS] = at << 1 | is_its;
    return is_its;
}

/* A section's last byte is the last of a page but for the alignment; a block of another size is no section's. */
static void *guarded(size_t bytes)
{
    size_t room = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, inner = (room + PAGE - 1) / PAGE * PAGE;
    size_t length = inner + 3 * PAGE;
    char *pages = mmap(0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 0;
    char *own = pages + 2 * PAGE + inner - room;
    memset(pages + 2 * PAGE, GARBAGE, inner);
    *(struct block *)pages = (struct block){MAGIC, length, pages};
    mprotect(pages + PAGE, PAGE, PROT_NONE);
    mprotect(pages + length - PAGE, PAGE, PROT_NONE);
    return own;
}

void *malloc(size_t bytes)
{
    return is_plugin(__builtin_return_address(0)) ? guarded(bytes) : __libc_malloc(bytes);
}

void free(void *memory)
{
    if (memory && is_plugin(__builtin_return_address(0))) {
        uintptr_t at = (uintptr_t)memory / PAGE * PAGE - 2 * PAGE;
        struct block *block = (struct block *)at;
        if (block->magic == MAGIC) {
            for (char *each = block->pages + 2 * PAGE; each < (char *)memory; each++)
                if (*each != GARBAGE)
                    __builtin_trap();
            munmap(block->pages, block->length_bytes);
            return;
        }
    }
    __libc_free(memory);
}
