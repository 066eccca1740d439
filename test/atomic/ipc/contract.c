/* SPDX-License-Identifier: MIT */
/* Each answer of the calls in furwock/ipc/atomic.h, and each way to be stopped by an operation. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/ipc/atomic.h>

#include "fixture.h"
#include "measure/death.h"
#include "sys/origin.h"
#include "sys/robust.h"
#include "table.h"

enum { LARGEST = 64, OBJECTS = 4096 };

static struct fw_table_head_ *head_of(const struct mapping *g)
{
    return (struct fw_table_head_ *)(void *)g->base;
}

static int create(const struct mapping *g)
{
    return fw_ipc_atomic_create(g->base, g->size, LARGEST);
}

static int join(const struct mapping *g)
{
    return fw_ipc_atomic_join(g->base, g->size);
}

static void space(void)
{
    CHECK(fw_ipc_atomic_space(0) == 0);
    CHECK(fw_ipc_atomic_space(FW_IPC_ATOMIC_LARGEST + 1) == 0);
    CHECK(fw_ipc_atomic_space((size_t)-1) == 0);
    for (size_t largest = 1; largest <= FW_IPC_ATOMIC_LARGEST; largest = largest * 3 / 2 + 1) {
        CHECK(fw_ipc_atomic_space(largest) == FW_IPC_ATOMIC_SPACE(largest));
        CHECK(fw_ipc_atomic_space(largest) % 64 == 0);
        CHECK(fw_ipc_atomic_space(largest) > largest);
    }
}

static void bad_places(void)
{
    struct mapping g = mapping_open(OBJECTS, LARGEST);
    void *far = (void *)(UINTPTR_MAX - 4095);

    CHECK(fw_ipc_atomic_create(NULL, g.size, LARGEST) == EINVAL);
    CHECK(fw_ipc_atomic_create(g.base + 8, g.size - 8, LARGEST) == EINVAL);
    CHECK(fw_ipc_atomic_create(far, g.size, LARGEST) == EINVAL);
    CHECK(fw_ipc_atomic_create(g.base, g.size, 0) == EINVAL);
    CHECK(fw_ipc_atomic_create(g.base, g.size, FW_IPC_ATOMIC_LARGEST + 1) == EINVAL);
    CHECK(fw_ipc_atomic_create(g.base, g.space - 1, LARGEST) == ENOSPC);
    CHECK(fw_ipc_atomic_join(NULL, g.size) == EINVAL);
    CHECK(fw_ipc_atomic_join(g.base + 8, g.size - 8) == EINVAL);
    CHECK(fw_ipc_atomic_join(far, g.size) == EINVAL);
    CHECK(fw_ipc_atomic_join(g.base, 64) == EINVAL);
    CHECK(join(&g) == ENOENT);
    CHECK(fw_ipc_atomic_leave(g.base) == ENOENT);
    for (size_t i = 0; i < g.size; i++)
        CHECK(g.base[i] == 0); /* what was refused has left no trace */
    CHECK(fw_ipc_atomic_create(g.base, g.space, LARGEST) == 0);
    CHECK(fw_ipc_atomic_leave(g.base) == 0);
    CHECK(fw_ipc_atomic_leave(g.base) == ENOENT);
    mapping_close(&g);
}

static void twice(void)
{
    struct mapping g = mapping_new(OBJECTS, LARGEST);
    struct mapping other = mapping_again(&g);

    CHECK(create(&g) == EBUSY && join(&g) == EBUSY);
    CHECK(fw_ipc_atomic_create(g.base + 64, 64 + g.space, LARGEST) == EBUSY);
    CHECK(create(&other) == EEXIST);
    CHECK(fw_ipc_atomic_join(other.base, other.size - 64) == EINVAL);
    CHECK(join(&other) == 0);
    store_stamp(at(&g, 0), 24, 7);
    CHECK(load_stamp(at(&other, 0), 24) == 7);
    CHECK(exchange_stamp(at(&other, 0), 24, 8) == 7);
    CHECK(load_stamp(at(&g, 0), 24) == 8);
    CHECK(fw_ipc_atomic_leave(g.base) == 0);
    CHECK(exchange_stamp(at(&other, 0), 24, 9) == 8); /* the other is joined still */
    CHECK(join(&g) == 0);
    CHECK(load_stamp(at(&g, 0), 24) == 9);
    munmap(g.base, g.size); /* joined still: the slot stays until the process leaves */
    CHECK(fw_ipc_atomic_leave(g.base) == 0);
    mapping_close(&other);
}

static void too_many(void)
{
    struct mapping g[FW_IPC_ATOMIC_REGIONS + 1];
    unsigned i;

    for (i = 0; i < FW_IPC_ATOMIC_REGIONS; i++) {
        g[i] = mapping_new(OBJECTS, LARGEST);
        store_stamp(at(&g[i], 0), 24, i);
    }
    g[i] = mapping_open(OBJECTS, LARGEST);
    CHECK(create(&g[i]) == EMFILE && join(&g[i]) == EMFILE);
    CHECK(fw_ipc_atomic_leave(g[3].base) == 0);
    CHECK(join(&g[i]) == ENOENT); /* and gives its place back */
    CHECK(create(&g[i]) == 0);
    for (i = 0; i < FW_IPC_ATOMIC_REGIONS; i++)
        CHECK(load_stamp(at(&g[i], 0), 24) == i);
    for (i = 0; i <= FW_IPC_ATOMIC_REGIONS; i++)
        mapping_close(&g[i]);
}

/* A head in which one field is another, and the checksum right for that. */
static void foreign_head(struct mapping *g, void *field, size_t n, uint64_t value, int answer)
{
    struct fw_table_head_ *head = head_of(g);
    struct fw_table_head_ saved = *head;
    size_t begin = offsetof(struct fw_table_head_, version);

    memcpy(field, &value, n);
    head->checksum = fw_hash_(FW_HASH_START_, (char *)head + begin,
                              (unsigned)(offsetof(struct fw_table_head_, checksum) - begin));
    if (join(g) != answer)
        fail("a head with %llx at %td: not answered by %d", (unsigned long long)value,
             (char *)field - (char *)head, answer);
    *head = saved;
}

static void heads(void)
{
    struct mapping g = mapping_new(OBJECTS, LARGEST);
    struct fw_table_head_ *head = head_of(&g);

    fw_ipc_atomic_leave(g.base);
    foreign_head(&g, &head->version, 4, FW_TABLE_VERSION_ + 1, EPROTO);
    foreign_head(&g, &head->magic, 8, __builtin_bswap64(FW_TABLE_MAGIC_), EPROTO);
    foreign_head(&g, &head->magic, 8, FW_TABLE_MAGIC_ + 1, EUCLEAN);
    foreign_head(&g, &head->magic, 8, 0, ENOENT);
    foreign_head(&g, &head->pid_namespace, 8, head->pid_namespace + 1, EXDEV);
    foreign_head(&g, &head->boot, 8, head->boot + 1, head->boot != 0 ? ESTALE : 0);
    foreign_head(&g, &head->instructions, 4, head->instructions ^ 1, ENODEV);
    foreign_head(&g, &head->largest, 8, 0, EUCLEAN);
    foreign_head(&g, &head->largest, 8, LARGEST * 2, EUCLEAN);
    foreign_head(&g, &head->stripes, 4, 1 << 20, EUCLEAN);
    foreign_head(&g, &head->stripe_size, 4, 1 << 20, EUCLEAN);
    foreign_head(&g, &head->size, 8, 128, EUCLEAN);
    foreign_head(&g, &head->size, 8, g.size * 2, EINVAL);
    for (size_t i = offsetof(struct fw_table_head_, magic); i < sizeof *head; i++) {
        g.base[i] ^= 0x10; /* any damage is seen */
        CHECK(join(&g) != 0);
        CHECK(create(&g) == EUCLEAN || create(&g) == EEXIST);
        g.base[i] ^= 0x10;
    }
    CHECK(join(&g) == 0);
    mapping_close(&g);
}

/* Whoever makes the table died over it, or is at it and does not go on. */
static void half_made(void)
{
    struct mapping g = mapping_open(OBJECTS, LARGEST);
    struct fw_table_head_ *head = head_of(&g);

    head->version = FW_TABLE_VERSION_;
    head->largest = 2 * LARGEST;
    head->boot = 0x5555;
    head->making = FW_ROBUST_DIED | FW_ROBUST_WAITERS;
    CHECK(join(&g) == ENOENT);
    CHECK(create(&g) == 0);
    store_stamp(at(&g, 0), 24, 7);
    CHECK(load_stamp(at(&g, 0), 24) == 7);
    CHECK(head->making == FW_ROBUST_WAITERS || head->making == 0);
    mapping_close(&g);
}

/* Whatever byte of the table's place is not zero: nothing is made, and all stays as it is. */
static void data(void)
{
    struct mapping g = mapping_open(OBJECTS, LARGEST);

    for (size_t i = 0; i < g.space; i += i < 256 ? 1 : 61) {
        g.base[i] = 'd';
        if (i < sizeof(uint32_t)) /* a word that may be a lock, whose owner is no more */
            g.base[4] = 'd';
        CHECK(create(&g) == EUCLEAN);
        CHECK(g.base[i] == 'd');
        g.base[i] = g.base[4] = 0;
        for (size_t j = 0; j < g.space; j++)
            CHECK(g.base[j] == 0);
    }
    memset(g.base + 16, 'd', g.size - 16);
    CHECK(create(&g) == EUCLEAN && join(&g) == ENOENT);
    for (size_t j = 0; j < g.size; j++)
        CHECK(g.base[j] == (j < 16 ? 0 : 'd'));
    memset(g.base, 0, g.space); /* what lies behind is the program's */
    CHECK(create(&g) == 0);
    mapping_close(&g);
}

/* A word that says that a maker died, before what no maker has left. */
static void data_behind_a_death(void)
{
    struct mapping g = mapping_open(OBJECTS, LARGEST);
    struct fw_table_head_ *head = head_of(&g);

    memset(g.base + 16, 'd', g.space - 16);
    head->making = FW_ROBUST_DIED;
    CHECK(create(&g) == EUCLEAN);
    for (size_t j = 16; j < g.space; j++)
        CHECK(g.base[j] == 'd');
    memset(g.base, 0, g.space);
    g.base[g.space - 1] = 'd';
    head->making = FW_ROBUST_DIED;
    head->version = FW_TABLE_VERSION_;
    CHECK(create(&g) == EUCLEAN);
    CHECK(g.base[g.space - 1] == 'd');
    mapping_close(&g);
}

static void wait_for_a_maker(void *arg)
{
    (void)arg;
    for (;;)
        pause();
}

static void stuck_maker(void *arg)
{
    struct mapping g = mapping_open(OBJECTS, LARGEST);
    pid_t maker = start(wait_for_a_maker, NULL);

    (void)arg;
    head_of(&g)->making = (uint32_t)maker;
    CHECK(create(&g) == ETIMEDOUT);
    CHECK(join(&g) == ENOENT);
    kill_and_wait(maker);
    CHECK(create(&g) == 0); /* such a process is gone, and the kernel has not said so */
}

struct misuse {
    struct mapping mapping;
    size_t offset, n;
    bool is_load;
};

static void misuse_it(void *arg)
{
    const struct misuse *m = arg;
    char *object = m->mapping.base + m->offset;

    if (m->is_load)
        load_stamp(object, m->n);
    else
        store_stamp(object, m->n, 1);
}

static void is_refused(struct mapping g, size_t offset, size_t n, const char *why)
{
    struct misuse m = {.mapping = g, .offset = offset, .n = n};
    struct death d;

    for (int i = 0; i < 2; i++) {
        m.is_load = i == 0;
        CHECK(death_run(misuse_it, &m, 20000, &d) == 0);
        if (d.signal != SIGABRT || strstr(d.text, why) == NULL)
            fail("%zu bytes at %zu: not refused (%s): %s", n, offset, why, d.text);
    }
}

static void refused_objects(void)
{
    struct mapping g = mapping_new(OBJECTS, LARGEST);
    struct fw_table_stripe_ *stripe;
    char before[LARGEST];

    is_refused(g, g.space, LARGEST + 1, "larger than its region was created for");
    is_refused(g, g.space - 8, 24, "in the table");
    is_refused(g, 256, 24, "in the table");
    is_refused(g, g.size - 16, 24, "crosses the end");
    store_stamp(g.base + g.size - 24, 24, 9);
    store_stamp(at(&g, 0), LARGEST, 9);

    /* A table that somebody has written over: no wild write. */
    stripe = fw_table_stripe_(g.base, fw_table_stripe_size_(LARGEST), fw_table_index_(g.space));
    stripe->lock = FW_ROBUST_DIED;
    stripe->sequence |= 1;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t offsets[] = {g.size - 8, 128, UINT64_MAX - 8, g.space + 64};
        stripe->offset = offsets[i];
        stripe->logged = 24;
        memcpy(before, at(&g, 64), sizeof before);
        is_refused(g, g.space, 24, "has been written over");
        CHECK(memcmp(before, at(&g, 64), sizeof before) == 0);
        stripe->lock = FW_ROBUST_DIED;
    }
    stripe->logged = 0;
    CHECK(load_stamp(at(&g, 0), LARGEST) == 9);
    mapping_close(&g);
}

static void outside(void)
{
    struct mapping g = mapping_new(OBJECTS, LARGEST);
    static _Alignas(64) char object[MOST_BYTES];

    store_stamp(object, MOST_BYTES, 3); /* not of the region: of any size */
    CHECK(exchange_stamp(object, MOST_BYTES, 4) == 3);
    CHECK(load_stamp(object, MOST_BYTES) == 4);
    for (size_t i = 0; i < g.space; i++)
        CHECK(i < FW_IPC_ATOMIC_HEAD_ || g.base[i] == 0);
    mapping_close(&g);
}

int main(void)
{
    pid_t stuck;

    if (fw_pid_namespace_() == 0)
        skip("there is no /proc");
    limit(100, "the contract");
    stuck = start(stuck_maker, NULL); /* takes five seconds, asleep */
    space();
    bad_places();
    twice();
    too_many();
    heads();
    half_made();
    data();
    data_behind_a_death();
    refused_objects();
    outside();
    finish(stuck);
    puts("every answer as promised");
    return EXIT_SUCCESS;
}
