/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <stdint.h>

#include <furwock/ipc/mutex.h>
#include <furwock/ipc/rwlock.h>

#include "bench/classics/furwock.h"
#include "locks.h"

/* --- Spin, then yield: Franke, Russell and Kirkwood (OLS 2002), section 4.2 ------------------- */

enum { SPIN_TRIES = 1000 };      /* as there */
#define SPIN_WRITER UINT32_C(~0) /* else: how many read */

static bool spin_try(uint32_t *word, bool write)
{
    uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    uint32_t next = write ? SPIN_WRITER : seen + 1;

    if (write ? seen != 0 : seen == SPIN_WRITER)
        return false;
    /* free -> writer; n readers -> n + 1 readers */
    return __atomic_compare_exchange_n(word, &seen, next, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static int spin_take(void *lock, bool write, bool wait)
{
    for (unsigned tries = 1; !spin_try(lock, write); tries++) {
        if (!wait)
            return EBUSY;
        if (tries % SPIN_TRIES == 0)
            sched_yield();
    }
    return 0;
}

static int spin_give(void *lock, bool write)
{
    if (write)
        __atomic_store_n((uint32_t *)lock, 0, __ATOMIC_RELEASE); /* writer -> free */
    else
        __atomic_fetch_sub((uint32_t *)lock, 1, __ATOMIC_RELEASE); /* n readers -> n - 1 */
    return 0;
}

static const struct lock_kind spin = {
    .name = "spin", .size = sizeof(uint32_t), .shares = true, .take = spin_take, .give = spin_give};

/* --- The paper's futexes (bench/classics/): FUTEX of Table 3, in section 4.2 --------------------
 *
 * The paper says that futexes replaced fcntl's locks.  Chains and the list of free space have the
 * futex itself, where readers wait too.  What several may hold at once, walks and records, has its
 * read-write lock, the furwock, which is two futexes and a count (section 3.1.2).
 */
static int furwock_take(void *lock, bool write, bool wait)
{
    if (!wait)
        return write ? classic_furwock_write_trydown(lock) : classic_furwock_read_trydown(lock);
    if (write)
        classic_furwock_write_down(lock);
    else
        classic_furwock_read_down(lock);
    return 0;
}

static int furwock_give(void *lock, bool write)
{
    if (write)
        classic_furwock_write_up(lock);
    else
        classic_furwock_read_up(lock);
    return 0;
}

static int futex_take(void *lock, bool write, bool wait)
{
    (void)write;
    if (!wait)
        return classic_futex_trydown(lock);
    classic_futex_down(lock);
    return 0;
}

static int futex_give(void *lock, bool write)
{
    (void)write;
    classic_futex_up(lock);
    return 0;
}

/* A furwock begins with a futex, which is free in both. */
static void futex_init(void *lock)
{
    *(classic_furwock *)lock = (classic_furwock)CLASSIC_FURWOCK_INIT;
}

#define ON_FUTEXES                                                                               \
    .size = sizeof(classic_furwock), .shares = true, .take = furwock_take, .give = furwock_give, \
    .take_chain = futex_take, .give_chain = futex_give

static const struct lock_kind futexes = {.name = "futex", ON_FUTEXES, .init = futex_init};

/* The same on the kernel service of the paper (furwock.ko). */
static void kernel_init(void *lock)
{
    classic_furwock *l = lock;

    futex_init(l);
    l->entry.scope = l->drained.scope = CLASSIC_KERNEL;
}

static const struct lock_kind kernel = {
    .name = "kernel-futex", ON_FUTEXES, .init = kernel_init, .missing = kernel_device_missing};

/* --- fw_ipc_rwlock ------------------------------------------------------------------------------
 *
 * Like TDB's own mutex mode, these repair nothing after a death.
 */

static int write_take(fw_ipc_rwlock *l, bool wait)
{
    int error = wait ? fw_ipc_rwlock_wrlock(l) : fw_ipc_rwlock_trywrlock(l);

    return error == EOWNERDEAD ? fw_ipc_rwlock_consistent(l) : error;
}

static int rwlock_take(void *lock, bool write, bool wait)
{
    if (write)
        return write_take(lock, wait);

    int error = wait ? fw_ipc_rwlock_rdlock(lock) : fw_ipc_rwlock_tryrdlock(lock);
    if (error != EOWNERDEAD)
        return error;
    error = write_take(lock, wait);
    return error == 0 ? fw_ipc_rwlock_downgrade(lock) : error;
}

static int rwlock_give(void *lock, bool write)
{
    return write ? fw_ipc_rwlock_wrunlock(lock) : fw_ipc_rwlock_rdunlock(lock);
}

static const struct lock_kind rwlocks = {.name = "furwock-rwlock",
                                         .size = sizeof(fw_ipc_rwlock),
                                         .shares = true,
                                         .take = rwlock_take,
                                         .give = rwlock_give};

/* --- fw_ipc_mutex: where TDB's own mutex mode has mutexes ----------------------- */

static int mutex_take(void *lock, bool write, bool wait)
{
    int error = wait ? fw_ipc_mutex_lock(lock) : fw_ipc_mutex_trylock(lock);

    (void)write;
    return error == EOWNERDEAD ? fw_ipc_mutex_consistent(lock) : error;
}

static int mutex_give(void *lock, bool write)
{
    (void)write;
    return fw_ipc_mutex_unlock(lock);
}

static const struct lock_kind mutexes = {.name = "furwock-mutex",
                                         .size = sizeof(fw_ipc_mutex),
                                         .shares = false,
                                         .take = mutex_take,
                                         .give = mutex_give};

/* --- Both: chains are held for a moment, so their readers may wait for each other ------------- */

static const struct lock_kind both = {.name = "furwock",
                                      .size = sizeof(fw_ipc_rwlock),
                                      .shares = true,
                                      .take = rwlock_take,
                                      .give = rwlock_give,
                                      .take_chain = mutex_take,
                                      .give_chain = mutex_give};

const struct lock_kind *const lock_kinds[] = {&spin,    &futexes, &kernel, &both,
                                              &rwlocks, &mutexes, NULL};
