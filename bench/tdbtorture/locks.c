/* SPDX-License-Identifier: MIT */
/*
 * Which byte of a TDB file is what (its common/lock.c):
 *
 *     0, 4             while the database is opened, and as long as it is: left to the kernel,
 *                      which gives them back however the process ends
 *     8                held shared by who walks through all records
 *     164              the list of free space
 *     168 + 4 n        chain n
 *     behind these     records: held shared by who walks, taken without waiting by who deletes
 *     ranges           everything, piece by piece
 *
 * Each byte but the first two has a lock in the region.  Records have a table of them, by a hash
 * of the byte: where two share one, a record is marked deleted instead of freed at once, as if
 * somebody walked there.
 */
#include "locks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/ipc/region.h>

enum {
    BYTE_WALK = 8,
    BYTE_FREELIST = 164,
    BYTE_STEP = 4,
    LOCK_WALK = 0, /* in the region: the walkers', the free list's, the chains', the records' */
    LOCK_FREELIST = 1,
    RECORD_BITS = 12,
    HELD_MOST = 64,
    LINE = 64,
    REGION_SPARE = 1 << 20
};

struct held {
    off_t byte;
    void *lock;
    bool write;
};

/* A process of tdbtorture has one thread and one database. */
static struct {
    const struct lock_kind *kind; /* NULL: not begun */
    unsigned char *locks;
    size_t stride;
    size_t chains;
    size_t count;
    unsigned held_count;
    struct held held[HELD_MOST];
    bool holds_all;
} my;

static void fail(const char *what)
{
    fprintf(stderr, "tdbtorture: %s\n", what);
    exit(1);
}

static const char *told(const char *name)
{
    const char *value = getenv(name);

    if (value == NULL)
        fail(name);
    return value;
}

static const struct lock_kind *find_kind(const char *name)
{
    for (const struct lock_kind *const *k = lock_kinds; *k != NULL; k++)
        if (strcmp((*k)->name, name) == 0)
            return *k;
    fail("no such kind of lock");
    return NULL;
}

/* Such locks are not inherited. */
static void in_child(void)
{
    my.held_count = 0;
    my.holds_all = false;
}

static void *lock_at(size_t i)
{
    return my.locks + i * my.stride;
}

enum { UNMADE, BEING_MADE, MADE };

/* Each process opens the database by itself: the first one makes the locks, the others wait. */
static void make_locks(void)
{
    uint32_t *state = lock_at(my.count), seen = UNMADE;

    if (my.kind->init == NULL)
        return;
    if (__atomic_compare_exchange_n(state, &seen, BEING_MADE, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_ACQUIRE)) {
        for (size_t i = 0; i < my.count; i++)
            my.kind->init(lock_at(i));
        __atomic_store_n(state, MADE, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != MADE)
        sched_yield();
}

static void begin(void)
{
    const struct lock_kind *kind = find_kind(told("TDBTORTURE_KIND"));
    const char *why = lock_kind_missing(kind);
    fw_region *region;
    void *locks;

    if (why != NULL)
        fail(why);
    my.chains = strtoul(told("TDBTORTURE_CHAINS"), NULL, 10);
    my.stride = (kind->size + LINE - 1) / LINE * LINE;
    my.count = LOCK_FREELIST + 1 + my.chains + ((size_t)1 << RECORD_BITS);

    size_t size = (my.count + 1) * my.stride; /* the last: whether the locks are made */
    if (fw_region_open(told("TDBTORTURE_REGION"), size + size / 2 + REGION_SPARE,
                       FW_REGION_CREATE | 0600, &region) != 0)
        fail("cannot open the region");
    if (fw_region_object(region, "locks", FW_REGION_DATA, size, FW_REGION_CREATE, &locks) != 0)
        fail("cannot make the locks");
    pthread_atfork(NULL, NULL, in_child);
    my.locks = locks;
    my.kind = kind;
    make_locks();
}

static bool is_apart(const void *lock)
{
    size_t i = (size_t)((const unsigned char *)lock - my.locks) / my.stride;

    return my.kind->take_chain != NULL && i >= LOCK_FREELIST && i <= LOCK_FREELIST + my.chains;
}

static int take_lock(void *lock, bool write, bool wait)
{
    return is_apart(lock) ? my.kind->take_chain(lock, write, wait)
                          : my.kind->take(lock, write, wait);
}

static int give_lock(void *lock, bool write)
{
    return is_apart(lock) ? my.kind->give_chain(lock, write) : my.kind->give(lock, write);
}

/* The lock of a byte; NULL: it is the kernel's. */
static void *lock_of(off_t byte)
{
    size_t list = (size_t)(byte - BYTE_FREELIST) / BYTE_STEP;

    if (byte < BYTE_WALK)
        return NULL;
    if (byte >= BYTE_FREELIST && list <= my.chains)
        return lock_at(LOCK_FREELIST + list);
    if (!my.kind->shares)
        return NULL;
    if (byte == BYTE_WALK)
        return lock_at(LOCK_WALK);
    uint32_t mixed = (uint32_t)(byte / BYTE_STEP) * UINT32_C(2654435761);
    return lock_at(LOCK_FREELIST + 1 + my.chains + (mixed >> (32 - RECORD_BITS)));
}

/* Returns as fcntl does. */
static int answer(int error)
{
    if (error == 0)
        return 0;
    errno = error == EBUSY ? EAGAIN : error;
    return -1;
}

static struct held *find_held(off_t byte)
{
    for (unsigned i = my.held_count; i-- > 0;)
        if (my.held[i].byte == byte)
            return &my.held[i];
    return NULL;
}

static int take(off_t byte, void *lock, bool write, bool wait)
{
    const struct held *h = find_held(byte);

    if (h != NULL) /* the kernel's locks do not stack; an upgrade might wait for another */
        return h->write || !write ? 0 : EDEADLK;
    if (my.held_count == HELD_MOST)
        return ENOLCK;
    int error = take_lock(lock, write, wait);
    if (error == 0)
        my.held[my.held_count++] = (struct held){byte, lock, write};
    return error;
}

static int give(off_t byte)
{
    struct held *h = find_held(byte);

    if (h == NULL)
        return 0;
    int error = give_lock(h->lock, h->write);
    *h = my.held[--my.held_count];
    return error;
}

/*
 * A range of bytes: all locks, for reading too; TDB asks for one range after another until it has
 * all, and gives all back at once.  Done when nobody else is there (the check at the end).
 */
static int take_all(bool wait)
{
    for (size_t i = LOCK_FREELIST; !my.holds_all && i < my.count; i++) {
        int error = take_lock(lock_at(i), true, wait);
        if (error != 0) {
            while (i-- > LOCK_FREELIST)
                give_lock(lock_at(i), true);
            return error;
        }
    }
    my.holds_all = true;
    return 0;
}

static int give_all(void)
{
    for (size_t i = LOCK_FREELIST; my.holds_all && i < my.count; i++)
        give_lock(lock_at(i), true);
    my.holds_all = false;
    return 0;
}

int tdbtorture_fcntl(int fd, int command, ...)
{
    va_list arguments;

    va_start(arguments, command);
    struct flock *f = va_arg(arguments, struct flock *);
    va_end(arguments);
    if (my.kind == NULL)
        begin();
    if (f->l_len != 1)
        return answer(f->l_type == F_UNLCK ? give_all() : take_all(command == F_SETLKW));
    void *lock = lock_of(f->l_start);
    if (lock == NULL)
        return fcntl(fd, command, f);
    if (f->l_type == F_UNLCK)
        return answer(give(f->l_start));
    return answer(take(f->l_start, lock, f->l_type == F_WRLCK, command == F_SETLKW));
}
