/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <sched.h>
#include <string.h>

/*
 * Small libraries that are broken in one way each, for the hunters to catch; and "sound", which has
 * a lock and a sequence for each of a few groups of objects, and is right.
 */

enum { N_GROUPS = 8, GROUP = 512 /* bytes */ };

static struct group {
    _Alignas(64) uint32_t lock;
    uint64_t sequence;
} groups[N_GROUPS];

static struct group *group_of(const void *object)
{
    return &groups[(uintptr_t)object / GROUP % N_GROUPS];
}

static struct group *lock(const void *object)
{
    struct group *g = group_of(object);

    while (__atomic_exchange_n(&g->lock, 1, __ATOMIC_ACQUIRE) != 0)
        sched_yield();
    return g;
}

/* An exchange: what follows cannot be seen before it. */
static void unlock(struct group *g)
{
    __atomic_exchange_n(&g->lock, 0, __ATOMIC_SEQ_CST);
}

static void begin_write(struct group *g)
{
    __atomic_store_n(&g->sequence, g->sequence + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_write(struct group *g)
{
    __atomic_store_n(&g->sequence, g->sequence + 1, __ATOMIC_RELEASE);
}

/* Byte by byte, that no compiler turns into something wider. */
static void copy(volatile void *to, const volatile void *from, size_t n)
{
    volatile unsigned char *t = to;
    const volatile unsigned char *f = from;

    for (size_t i = 0; i < n; i++)
        t[i] = f[i];
}

static bool differ(const volatile void *a, const volatile void *b, size_t n)
{
    const volatile unsigned char *x = a, *y = b;

    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return true;
    return false;
}

/* --- Sound ---------------------------------------------------------------------------------- */

static void sound_load(size_t n, const void *object, void *out, int order)
{
    struct group *g = group_of(object);

    (void)order;
    for (;;) {
        uint64_t before = __atomic_load_n(&g->sequence, __ATOMIC_ACQUIRE);

        copy(out, object, n);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (before % 2 == 0 && __atomic_load_n(&g->sequence, __ATOMIC_RELAXED) == before)
            return;
        sched_yield();
    }
}

static void sound_store(size_t n, void *object, const void *value, int order)
{
    struct group *g;

    (void)order;
    g = lock(object);
    begin_write(g);
    copy(object, value, n);
    end_write(g);
    unlock(g);
}

static void sound_exchange(size_t n, void *object, const void *value, void *out, int order)
{
    struct group *g;

    (void)order;
    g = lock(object);
    copy(out, object, n);
    begin_write(g);
    copy(object, value, n);
    end_write(g);
    unlock(g);
}

static bool sound_compare_exchange(size_t n, void *object, void *expected, const void *desired,
                                   int success, int failure)
{
    struct group *g;
    bool same;

    (void)success;
    (void)failure;
    g = lock(object);
    same = !differ(object, expected, n);
    if (same) {
        begin_write(g);
        copy(object, desired, n);
        end_write(g);
    } else {
        copy(expected, object, n);
    }
    unlock(g);
    return same;
}

static bool never_lock_free(size_t n, const void *object)
{
    (void)n;
    (void)object;
    return false;
}

/* --- Broken stores and loads ----------------------------------------------------------------- */

static void memcpy_store(size_t n, void *object, const void *value, int order)
{
    (void)order;
    copy(object, value, n);
}

/* Looks at the sequence only before, as if nobody could begin meanwhile. */
static void unchecked_load(size_t n, const void *object, void *out, int order)
{
    struct group *g = group_of(object);

    (void)order;
    while (__atomic_load_n(&g->sequence, __ATOMIC_ACQUIRE) % 2 != 0)
        sched_yield();
    copy(out, object, n);
}

/* As a rule what this thread loaded there some time ago. */
static void stale_load(size_t n, const void *object, void *out, int order)
{
    static _Thread_local struct {
        const void *object;
        size_t n;
        unsigned char bytes[64];
        unsigned uses;
    } cache[16], *seen;

    seen = &cache[(uintptr_t)object / GROUP % 16];
    if (n > sizeof seen->bytes || seen->object != object || seen->n != n || ++seen->uses % 4 == 0) {
        sound_load(n, object, out, order);
        if (n > sizeof seen->bytes)
            return;
        seen->object = object;
        seen->n = n;
        memcpy(seen->bytes, out, n);
    }
    memcpy(out, seen->bytes, n);
}

/* For words only, and as if nobody had asked for any order. */
static void relaxed_load(size_t n, const void *object, void *out, int order)
{
    uint64_t word = __atomic_load_n((const uint64_t *)object, __ATOMIC_RELAXED);

    (void)order;
    memcpy(out, &word, n);
}

static void relaxed_store(size_t n, void *object, const void *value, int order)
{
    uint64_t word;

    (void)order;
    memcpy(&word, value, n);
    __atomic_store_n((uint64_t *)object, word, __ATOMIC_RELAXED);
}

static void relaxed_exchange(size_t n, void *object, const void *value, void *out, int order)
{
    relaxed_load(n, object, out, order);
    relaxed_store(n, object, value, order);
}

static bool relaxed_compare_exchange(size_t n, void *object, void *expected, const void *desired,
                                     int success, int failure)
{
    bool same = memcmp(object, expected, n) == 0;

    if (same)
        relaxed_store(n, object, desired, success);
    else
        relaxed_load(n, object, expected, failure);
    return same;
}

/* Writes whole words, with what was in the rest of them before. */
static void wide_store(size_t n, void *object, const void *value, int order)
{
    struct group *g;
    uintptr_t first = (uintptr_t)object & ~(uintptr_t)7;
    size_t whole = ((uintptr_t)object + n + 7 - first) & ~(size_t)7;
    unsigned char words[LARGEST + 16];

    (void)order;
    g = lock(object);
    copy(words, (void *)first, whole);
    copy(words + ((uintptr_t)object - first), value, n);
    begin_write(g);
    copy((void *)first, words, whole);
    end_write(g);
    unlock(g);
}

/* Stores late: after the load that this thread does next, as a store buffer would. */
static _Thread_local struct {
    void *object; /* NULL: nothing is late */
    size_t n;
    unsigned char value[LARGEST];
} late;

static void delayed_load(size_t n, const void *object, void *out, int order)
{
    void *stored = late.object;

    late.object = NULL;
    if (stored == object)
        sound_store(late.n, stored, late.value, order);
    sound_load(n, object, out, order);
    if (stored != NULL && stored != object)
        sound_store(late.n, stored, late.value, order);
}

static void delayed_store(size_t n, void *object, const void *value, int order)
{
    (void)order;
    late.object = object;
    late.n = n;
    memcpy(late.value, value, n);
}

/* --- Broken exchanges ------------------------------------------------------------------------ */

static void split_exchange(size_t n, void *object, const void *value, void *out, int order)
{
    sound_load(n, object, out, order);
    sched_yield(); /* so that it shows on a busy machine too */
    sound_store(n, object, value, order);
}

static bool split_compare_exchange(size_t n, void *object, void *expected, const void *desired,
                                   int success, int failure)
{
    unsigned char now[LARGEST];

    sound_load(n, object, now, failure);
    sched_yield();
    if (memcmp(now, expected, n) == 0) {
        sound_store(n, object, desired, success);
        return true;
    }
    memcpy(expected, now, n);
    return false;
}

/* Fails, and leaves the caller with what it expected. */
static bool silent_compare_exchange(size_t n, void *object, void *expected, const void *desired,
                                    int success, int failure)
{
    unsigned char copy_of[LARGEST];

    memcpy(copy_of, expected, n);
    return sound_compare_exchange(n, object, copy_of, desired, success, failure);
}

const struct libatomics *broken_open(const char *name)
{
    static struct libatomics made;
    static const struct flaw {
        const char *name;
        struct libatomics parts; /* those that are not NULL replace the sound ones */
    } flaws[] = {
        {"sound", {.name = "sound"}},
        {"memcpy", {.store = memcpy_store}},
        {"unchecked", {.load = unchecked_load}},
        {"relaxed",
         {.load = relaxed_load,
          .store = relaxed_store,
          .exchange = relaxed_exchange,
          .compare_exchange = relaxed_compare_exchange}},
        {"stale", {.load = stale_load}},
        {"wide", {.store = wide_store}},
        {"delayed", {.load = delayed_load, .store = delayed_store}},
        {"split", {.exchange = split_exchange}},
        {"split-compare", {.compare_exchange = split_compare_exchange}},
        {"silent", {.compare_exchange = silent_compare_exchange}},
    };

    for (size_t i = 0; i < sizeof flaws / sizeof flaws[0]; i++) {
        const struct libatomics *p = &flaws[i].parts;

        if (strcmp(flaws[i].name, name) != 0)
            continue;
        made = (struct libatomics){
            .name = flaws[i].name,
            .path = "made here",
            .load = p->load ? p->load : sound_load,
            .store = p->store ? p->store : sound_store,
            .exchange = p->exchange ? p->exchange : sound_exchange,
            .compare_exchange = p->compare_exchange ? p->compare_exchange : sound_compare_exchange,
            .is_lock_free = never_lock_free,
        };
        return &made;
    }
    return NULL;
}
