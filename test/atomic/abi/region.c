/* SPDX-License-Identifier: MIT */
#include "region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *pages_or_die(size_t bytes, int access)
{
    void *at = mmap(NULL, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return at;
}

struct region region_new(size_t pages)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct region r = {.size = pages * page};
    unsigned char *around = pages_or_die(r.size + 2 * page, PROT_NONE);

    r.memory = around + page;
    r.model = pages_or_die(r.size, PROT_READ | PROT_WRITE);
    region_protect(&r, true);
    return r;
}

void region_fill(struct region *r, struct rng *random, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
        uint64_t bits = rng_next(random);

        memcpy(r->model + at + i, &bits, n - i < sizeof bits ? n - i : sizeof bits);
    }
    memcpy(r->memory + at, r->model + at, n);
}

void region_protect(const struct region *r, bool writable)
{
    if (mprotect(r->memory, r->size, writable ? PROT_READ | PROT_WRITE : PROT_READ) != 0) {
        perror("mprotect");
        exit(2);
    }
}

size_t region_difference(const struct region *r, size_t from, size_t to)
{
    if (to > r->size)
        to = r->size;
    if (memcmp(r->memory + from, r->model + from, to - from) == 0)
        return r->size;
    while (r->memory[from] == r->model[from])
        from++;
    return from;
}
