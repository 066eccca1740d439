/* SPDX-License-Identifier: MIT */
#include "bench/classics/sysv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <unistd.h>

#include "test/support/child.h"
#include "test/support/unit.h"

static int value(const classic_sysv *l)
{
    return semctl(l->set, l->index, GETVAL);
}

static bool is_gone(void *set)
{
    return semctl(*(int *)set, 0, GETVAL) < 0 && (errno == EINVAL || errno == EIDRM);
}

TEST(values)
{
    classic_sysv l;

    assert_int_equal(classic_sysv_init(&l), 0);
    assert_int_equal(value(&l), 1);
    classic_sysv_lock(&l);
    assert_int_equal(value(&l), 0);
    assert_int_equal(classic_sysv_trylock(&l), EBUSY);
    assert_int_equal(value(&l), 0);
    classic_sysv_unlock(&l);
    assert_int_equal(value(&l), 1);
    assert_int_equal(classic_sysv_trylock(&l), 0);
    assert_int_equal(value(&l), 0);
    classic_sysv_destroy(&l);
    assert_true(is_gone(&l.set));
}

TEST(locks_share_sets)
{
    enum { LOCKS = 2 * SYSV_PER_SET + 1 };
    static classic_sysv l[LOCKS];

    for (int i = 0; i < LOCKS; i++)
        assert_int_equal(classic_sysv_init(&l[i]), 0);
    for (int i = 0; i < LOCKS; i++) { /* no two are the same semaphore */
        assert_int_equal(value(&l[i]), 1);
        classic_sysv_lock(&l[i]);
    }
    classic_sysv_destroy(&l[7]);
    classic_sysv again;
    assert_int_equal(classic_sysv_init(&again), 0); /* in the place that became free */
    assert_int_equal(again.set, l[7].set);
    assert_int_equal(again.index, l[7].index);
    assert_int_equal(value(&again), 1);
    l[7] = again;
    for (int i = 0; i < LOCKS; i++)
        classic_sysv_destroy(&l[i]);
    for (int i = 0; i < LOCKS; i++)
        assert_true(is_gone(&l[i].set));
}

/* How many sets the system allows; 0 where it does not tell. */
static int limit_of_sets(void)
{
    struct seminfo info;
    union {
        int val;
        struct seminfo *info;
    } arg = {.info = &info};
    memset(&info, 0, sizeof info);
    return semctl(0, 0, IPC_INFO, arg) < 0 ? 0 : info.semmni;
}

TEST(too_many_locks_are_an_error)
{
    enum { LOCKS = SYSV_SETS_MAX * SYSV_PER_SET, ROOM_FOR_OTHERS = 4 };
    if (limit_of_sets() < ROOM_FOR_OTHERS * SYSV_SETS_MAX) {
        print_message("skipped: few sets here, and others may need them\n");
        skip();
    }
    classic_sysv *l = calloc(LOCKS + 1, sizeof *l);
    int error = 0;
    int n = 0;
    while (n <= LOCKS && (error = classic_sysv_init(&l[n])) == 0)
        n++;
    assert_int_equal(error, ENOSPC);
    assert_non_null(strstr(classic_sysv_explain(error), "/proc/sys/kernel/sem"));
    int last = l[n - 1].set;
    while (n > 0)
        classic_sysv_destroy(&l[--n]);
    assert_true(is_gone(&last));
    free(l);
}

struct family {
    classic_sysv locks[2 * SYSV_PER_SET];
    pid_t waiter;
};

static void lock_the_first(void *arg)
{
    struct family *f = arg;
    classic_sysv_lock(&f->locks[0]);
}

static void make_locks(void *arg)
{
    struct family *f = arg;
    for (unsigned i = 0; i < sizeof f->locks / sizeof f->locks[0]; i++)
        if (classic_sysv_init(&f->locks[i]) != 0)
            _exit(1);
    classic_sysv_lock(&f->locks[0]);
    f->waiter = start_asleep(lock_the_first, f); /* dies with this process */
    for (;;)
        pause();
}

TEST(nothing_is_left_when_all_are_killed)
{
    struct family *f = share(sizeof *f);

    pid_t parent = start(make_locks, f);
    while (__atomic_load_n(&f->waiter, __ATOMIC_SEQ_CST) == 0)
        usleep(1000);
    assert_int_equal(value(&f->locks[0]), 0);
    kill_and_wait(parent);
    assert_true(await_condition(is_gone, &f->locks[0].set));
    assert_true(await_condition(is_gone, &f->locks[SYSV_PER_SET].set));
}

static void make_and_destroy(void *arg)
{
    classic_sysv *parents = arg;
    classic_sysv mine;
    classic_sysv_destroy(parents); /* not this process's: nothing happens */
    if (classic_sysv_init(&mine) != 0 || mine.set == parents->set)
        _exit(1);
    classic_sysv_lock(&mine);
    classic_sysv_unlock(&mine);
    classic_sysv_destroy(&mine);
}

TEST(a_child_has_locks_of_its_own)
{
    classic_sysv l;
    assert_int_equal(classic_sysv_init(&l), 0);
    finish(start(make_and_destroy, &l));
    assert_int_equal(value(&l), 1);
    classic_sysv_destroy(&l);
    assert_true(is_gone(&l.set));
}

int main(void)
{
    classic_sysv probe;
    int error = classic_sysv_init(&probe);
    if (error != 0) {
        print_message("skipped: %s\n", classic_sysv_explain(error));
        return 77;
    }
    classic_sysv_destroy(&probe);

    return unit_run(NULL, NULL);
}
