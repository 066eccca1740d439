/* SPDX-License-Identifier: MIT */
#include "pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *pages_need(void *p)
{
    if (p == NULL) {
        fputs("fw-model: out of memory\n", stderr);
        exit(3);
    }
    return p;
}

static void map(struct pages *p, void *at, size_t size)
{
    p->at = pages_need(at == MAP_FAILED ? NULL : at);
    p->size = size;
    madvise(at, size, MADV_HUGEPAGE);
}

static void *new_map(size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void *pages_grow(struct pages *p, size_t size)
{
    if (p->at == NULL)
        map(p, new_map(size), size);
    else if (p->size < size)
        map(p, mremap(p->at, p->size, size, MREMAP_MAYMOVE), size);
    return p->at;
}

void *pages_zeroed(struct pages *p, size_t size)
{
    if (p->size >= size) {
        memset(p->at, 0, size);
        return p->at;
    }
    if (p->at != NULL)
        munmap(p->at, p->size);
    map(p, new_map(size), size);
    return p->at;
}
