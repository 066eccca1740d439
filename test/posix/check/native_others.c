/* SPDX-License-Identifier: MIT */
/* Faults and what looks like them: on the heap, and of other locks.  Contract: native.h. */
#include "native.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock.h>
#include <furwock/ipc.h>

static fw_rwlock shared_first, shared_second;
static fw_rwlock by_readers = FW_RWLOCK_INIT_READERS, by_readers_too = FW_RWLOCK_INIT_READERS;
static fw_brlock big_first, big_second;
static fw_ipc_mutex *ipc_first, *ipc_second;
static fw_ipc_rwlock *ipc_rwlock;

/* --- Memory that is used again ---------------------------------------------------------------- */

static struct pair {
    fw_mutex a, b;
    char space[4000];
} * pair;

static void a_b(void)
{
    fw_mutex_lock(&pair->a);
    fw_mutex_lock(&pair->b);
    fw_mutex_unlock(&pair->b);
    fw_mutex_unlock(&pair->a);
}

static void b_a(void)
{
    fw_mutex_lock(&pair->b);
    fw_mutex_lock(&pair->a);
    fw_mutex_unlock(&pair->a);
    fw_mutex_unlock(&pair->b);
}

/* Zeroes are a mutex: there is no call when one begins. */
void good_again(void)
{
    struct pair *was;

    for (int i = 0; i < 100; i++) {
        pair = calloc(1, sizeof *pair);
        if (pair == NULL)
            die("calloc");
        in_thread(i % 2 == 0 ? a_b : b_a);
        was = pair;
        free(pair);
        pair = was;
    }
}

void heap_order(void)
{
    pair = calloc(1, sizeof *pair);
    if (pair == NULL)
        die("calloc");
    in_thread(a_b);
    in_thread(b_a);
    free(pair);
}

/* --- Read-write locks ------------------------------------------------------------------------- */

NOINLINE static void read_write(void)
{
    fw_rwlock_rdlock(&shared_first);
    fw_rwlock_wrlock(&shared_second);
    fw_rwlock_wrunlock(&shared_second);
    fw_rwlock_rdunlock(&shared_first);
}

NOINLINE static void write_write(void)
{
    fw_rwlock_wrlock(&shared_second);
    fw_rwlock_wrlock(&shared_first);
    fw_rwlock_unlock(&shared_first);
    fw_rwlock_wrunlock(&shared_second);
}

void rwlock_order(void)
{
    in_thread(read_write);
    in_thread(write_write);
}

NOINLINE static void read_read(void)
{
    fw_rwlock_rdlock(&by_readers);
    fw_rwlock_rdlock(&by_readers_too);
    fw_rwlock_rdunlock(&by_readers_too);
    fw_rwlock_rdunlock(&by_readers);
}

NOINLINE static void read_read_too(void)
{
    fw_rwlock_rdlock(&by_readers_too);
    fw_rwlock_rdlock(&by_readers);
    fw_rwlock_rdunlock(&by_readers);
    fw_rwlock_rdunlock(&by_readers_too);
}

/* A waiting writer stops no reader there. */
void good_readers(void)
{
    fw_rwlock_wrlock(&by_readers);
    fw_rwlock_downgrade(&by_readers);
    fw_rwlock_rdunlock(&by_readers);
    in_thread(read_read);
    in_thread(read_read_too);
}

void good_rwlock(void)
{
    fw_deadline past = {{0, 0}, CLOCK_MONOTONIC};

    in_thread(read_write);
    fw_rwlock_upgradable_lock(&shared_first);
    fw_rwlock_upgrade(&shared_first);
    fw_rwlock_downgrade(&shared_first);
    fw_rwlock_rdunlock(&shared_first);
    if (fw_rwlock_timedwrlock(&shared_second, &past) == 0)
        fw_rwlock_unlock(&shared_second);
    in_thread(read_write);
}

static void rwlock_exit_thread(void)
{
    fw_rwlock_rdlock(&shared_first);
}

void rwlock_exit(void)
{
    in_thread(rwlock_exit_thread);
}

/* --- What is seen of any caller --------------------------------------------------------------- */

NOINLINE static void big_read_write(void)
{
    fw_brlock_rdlock(&big_first);
    fw_brlock_wrlock(&big_second);
    fw_brlock_wrunlock(&big_second);
    fw_brlock_rdunlock(&big_first);
}

NOINLINE static void big_write_read(void)
{
    fw_brlock_wrlock(&big_second);
    fw_brlock_wrlock(&big_first);
    fw_brlock_wrunlock(&big_first);
    fw_brlock_wrunlock(&big_second);
}

void brlock_order(void)
{
    if (fw_brlock_init(&big_first) != 0 || fw_brlock_init(&big_second) != 0)
        die("fw_brlock_init");
    in_thread(big_read_write);
    in_thread(big_write_read);
    fw_brlock_destroy(&big_first);
    fw_brlock_destroy(&big_second);
}

void good_brlock(void)
{
    if (fw_brlock_init(&big_first) != 0 || fw_brlock_init(&big_second) != 0)
        die("fw_brlock_init");
    in_thread(big_read_write);
    fw_brlock_destroy(&big_first);
    fw_brlock_destroy(&big_second);
}

static void brlock_exit_thread(void)
{
    fw_brlock_rdlock(&big_first);
}

void brlock_exit(void)
{
    if (fw_brlock_init(&big_first) != 0)
        die("fw_brlock_init");
    in_thread(brlock_exit_thread);
}

/* --- In a region ------------------------------------------------------------------------------ */

static void make_region(void)
{
    int fd = memfd_create("native", MFD_CLOEXEC);
    fw_region *region;

    if (fd < 0 || fw_region_open_fd(fd, FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region) != 0 ||
        fw_region_mutex(region, "first", FW_REGION_CREATE, &ipc_first) != 0 ||
        fw_region_mutex(region, "second", FW_REGION_CREATE, &ipc_second) != 0 ||
        fw_region_rwlock(region, "rwlock", FW_REGION_CREATE, &ipc_rwlock) != 0)
        die("region");
}

NOINLINE static void ipc_mutex_rwlock(void)
{
    if (fw_ipc_mutex_lock(ipc_first) != 0 || fw_ipc_rwlock_rdlock(ipc_rwlock) != 0)
        die("ipc");
    fw_ipc_rwlock_rdunlock(ipc_rwlock);
    fw_ipc_mutex_unlock(ipc_first);
}

NOINLINE static void ipc_rwlock_mutex(void)
{
    if (fw_ipc_rwlock_wrlock(ipc_rwlock) != 0 || fw_ipc_mutex_lock(ipc_first) != 0)
        die("ipc");
    fw_ipc_mutex_unlock(ipc_first);
    fw_ipc_rwlock_wrunlock(ipc_rwlock);
}

void ipc_order(void)
{
    make_region();
    in_thread(ipc_mutex_rwlock);
    in_thread(ipc_rwlock_mutex);
}

static void lock_rwlock(void)
{
    if (fw_ipc_rwlock_rdlock(ipc_rwlock) != 0)
        die("ipc");
}

void ipc_exit(void)
{
    make_region();
    in_thread(lock_rwlock);
}

/* A child of fork holds nothing of it; and EDEADLK says so, and is no fault. */
void good_ipc(void)
{
    pid_t child;
    int status;

    make_region();
    in_thread(ipc_mutex_rwlock);
    if (fw_ipc_rwlock_wrlock(ipc_rwlock) != 0 || fw_ipc_rwlock_downgrade(ipc_rwlock) != 0 ||
        fw_ipc_rwlock_rdlock(ipc_rwlock) != 0 || fw_ipc_mutex_trylock(ipc_second) != 0 ||
        fw_ipc_mutex_lock(ipc_second) != EDEADLK)
        die("ipc");
    child = fork();
    if (child == 0)
        _exit(fw_ipc_mutex_lock(ipc_first) != 0 || fw_ipc_mutex_unlock(ipc_first) != 0);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        die("child");
    fw_ipc_mutex_unlock(ipc_second);
    fw_ipc_rwlock_rdunlock(ipc_rwlock);
    fw_ipc_rwlock_unlock(ipc_rwlock);
}
