/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <sys/mman.h>
#include <unistd.h>

#include <furwock/ipc/atomic.h>

static void map(struct mapping *g)
{
    g->base = mmap(NULL, g->size, PROT_READ | PROT_WRITE, MAP_SHARED, g->fd, 0);
    CHECK(g->base != MAP_FAILED);
}

struct mapping mapping_open(size_t objects, size_t largest)
{
    struct mapping g = {.space = fw_ipc_atomic_space(largest)};

    g.size = g.space + objects;
    g.fd = memfd_create("furwock-test", MFD_CLOEXEC);
    CHECK(g.fd >= 0);
    CHECK(ftruncate(g.fd, (off_t)g.size) == 0);
    map(&g);
    return g;
}

struct mapping mapping_new(size_t objects, size_t largest)
{
    struct mapping g = mapping_open(objects, largest);

    CHECK(fw_ipc_atomic_create(g.base, g.size, largest) == 0);
    return g;
}

struct mapping mapping_again(const struct mapping *g)
{
    struct mapping other = *g;

    map(&other);
    CHECK(other.base != g->base);
    return other;
}

void mapping_move(struct mapping *g)
{
    struct mapping other = mapping_again(g);

    CHECK(fw_ipc_atomic_leave(g->base) == 0);
    munmap(g->base, g->size);
    *g = other;
    CHECK(fw_ipc_atomic_join(g->base, g->size) == 0);
}

void mapping_close(struct mapping *g)
{
    fw_ipc_atomic_leave(g->base);
    munmap(g->base, g->size);
    close(g->fd);
}

/* Byte i of the object is byte i % 8 of the word, so that it can begin and end anywhere. */
void stamp(void *object, size_t n, uint64_t word)
{
    unsigned char *bytes = object;

    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(word >> i % 8 * 8);
}

uint64_t read_stamp(const void *object, size_t n)
{
    const unsigned char *bytes = object;
    uint64_t word = 0;

    for (size_t i = 0; i < 8 && i < n; i++)
        word |= (uint64_t)bytes[i] << i * 8;
    for (size_t i = 8; i < n; i++)
        if (bytes[i] != bytes[i - 8])
            fail("torn: byte %zu of %zu is %02x, and byte %zu is %02x", i, n, bytes[i], i - 8,
                 bytes[i - 8]);
    return word;
}

void store_stamp(void *object, size_t n, uint64_t word)
{
    unsigned char value[MOST_BYTES];

    stamp(value, n, word);
    any_store(n, object, value, __ATOMIC_SEQ_CST);
}

uint64_t load_stamp(const void *object, size_t n)
{
    unsigned char out[MOST_BYTES];

    any_load(n, object, out, __ATOMIC_SEQ_CST);
    return read_stamp(out, n);
}

uint64_t exchange_stamp(void *object, size_t n, uint64_t word)
{
    unsigned char value[MOST_BYTES];

    stamp(value, n, word);
    any_exchange(n, object, value, value, __ATOMIC_SEQ_CST);
    return read_stamp(value, n);
}

bool change_stamp(void *object, size_t n, uint64_t *expected, uint64_t word)
{
    unsigned char value[MOST_BYTES], wanted[MOST_BYTES];

    stamp(value, n, word);
    stamp(wanted, n, *expected);
    if (any_compare_exchange(n, object, wanted, value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return true;
    *expected = read_stamp(wanted, n);
    return false;
}
