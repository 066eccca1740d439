/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include "bench/adapters/adapter.h"
#include "measure/workers.h"
#include "test/support/child.h"
#include "test/support/testing.h"

/* Every classic lock between processes: exclusion, order where it is claimed, no wake lost. */

extern const struct adapter adapter_sysv, adapter_usema, adapter_futex, adapter_futex_fair,
    adapter_ulock, adapter_ulock_fair, adapter_futex_spin3, adapter_futex_fair_spin3,
    adapter_ulock_spin3, adapter_ulock_fair_spin3, adapter_smpl, adapter_gustedt, adapter_musl,
    adapter_drepper, adapter_spin_yield, adapter_futex_random, adapter_gustedt_text;

static const struct adapter *const all[] = {
    &adapter_sysv,         &adapter_usema,
    &adapter_futex,        &adapter_futex_fair,
    &adapter_ulock,        &adapter_ulock_fair,
    &adapter_futex_spin3,  &adapter_futex_fair_spin3,
    &adapter_ulock_spin3,  &adapter_ulock_fair_spin3,
    &adapter_smpl,         &adapter_gustedt,
    &adapter_musl,         &adapter_drepper,
    &adapter_spin_yield,   &adapter_futex_random,
    &adapter_gustedt_text,
};

enum { QUEUE = 6, TASKS = 3, ROUNDS = 4000, TURNS = 500, LIMIT_S = 280 };

struct fixture {
    _Alignas(64) char lock[64];
    const struct adapter *a;
    bool fairly;              /* release by unlock_fair */
    volatile unsigned number; /* guarded by the lock, deliberately not atomic */
    unsigned order[QUEUE + 1];
    unsigned next; /* whose turn it is: the index of the task that starts next, or of a turn */
};

static struct fixture *fixture_make(const struct adapter *a)
{
    struct fixture *r = share(sizeof *r);
    r->a = a;
    assert_true(a->size <= sizeof r->lock);
    assert_int_equal(a->init(r->lock, true), 0);
    return r;
}

static void leave(struct fixture *r)
{
    if (r->a->destroy != NULL)
        r->a->destroy(r->lock);
}

static void unlock(struct fixture *r)
{
    (r->fairly ? r->a->unlock_fair : r->a->unlock)(r->lock);
}

/* --- Exclusion -------------------------------------------------------------------------------- */

static void count_up(unsigned index, void *arg)
{
    struct fixture *r = arg;
    for (unsigned i = 0; i < ROUNDS; i++) {
        r->a->lock(r->lock);
        unsigned seen = r->number;
        r->number = seen + 1;
        /* Some releases of each kind, so that both meet the same waiters. */
        if (r->a->unlock_fair != NULL && (i + index) % 4 == 0)
            r->a->unlock_fair(r->lock);
        else
            r->a->unlock(r->lock);
    }
}

static void one_at_a_time(void **state)
{
    struct fixture *r = fixture_make(*state);
    assert_int_equal(workers_run(TASKS, WORKER_PROCESSES, count_up, r), 0);
    assert_int_equal(r->number, TASKS * ROUNDS);
    leave(r);
}

/* --- No wake lost ----------------------------------------------------------------------------- */

/*
 * Each task can go on only after the others have been in, so a lost wake hangs all of them.  Every
 * now and then one keeps the lock until the others sleep.  Out of turn, a task stays away for a
 * moment: a greedy lock would let it come back forever.
 */
static void take_turns(unsigned index, void *arg)
{
    struct fixture *r = arg;
    for (unsigned turn = index; turn < TASKS * TURNS;) {
        r->a->lock(r->lock);
        bool mine = r->number == turn;
        if (mine) {
            r->number++;
            turn += TASKS;
            if (turn % 16 == 0)
                usleep(50);
        }
        r->a->unlock(r->lock);
        if (!mine)
            usleep(20);
    }
}

static void ping_pong(void **state)
{
    struct fixture *r = fixture_make(*state);
    assert_int_equal(workers_run(TASKS, WORKER_PROCESSES, take_turns, r), 0);
    assert_int_equal(r->number, TASKS * TURNS);
    leave(r);
}

/* --- Order ------------------------------------------------------------------------------------ */

static void queue_up(void *arg)
{
    struct fixture *r = arg;
    unsigned index = r->next;
    r->a->lock(r->lock);
    r->order[r->number++] = index;
    unlock(r);
}

/* Waiters come one by one; the owner unlocks, locks again at once, and is the last of all. */
static void check_order(const struct adapter *a, bool fairly)
{
    struct fixture *r = fixture_make(a);
    pid_t tasks[QUEUE];

    r->fairly = fairly;
    a->lock(r->lock);
    for (r->next = 0; r->next < QUEUE; r->next++)
        tasks[r->next] = start_asleep(queue_up, r);
    unlock(r);
    a->lock(r->lock);
    r->order[r->number++] = QUEUE;
    unlock(r);

    for (unsigned i = 0; i < QUEUE; i++)
        finish(tasks[i]);
    for (unsigned i = 0; i <= QUEUE; i++)
        assert_int_equal(r->order[i], i);
    leave(r);
}

static void first_come_first_served(void **state)
{
    const struct adapter *a = *state;
    if (a->flags & ADAPTER_FAIR)
        check_order(a, false);
    if (a->unlock_fair != NULL)
        check_order(a, true);
}

static void trylock_never_waits(void **state)
{
    struct fixture *r = fixture_make(*state);
    const struct adapter *a = r->a;

    assert_int_equal(a->trylock(r->lock), 0);
    assert_int_equal(a->trylock(r->lock), EBUSY);
    a->unlock(r->lock);
    a->loop(r->lock, 1000);
    assert_int_equal(a->trylock(r->lock), 0);
    a->unlock(r->lock);
    leave(r);
}

int main(void)
{
    int failed = 0;
    alarm(LIMIT_S); /* the watchdog; children die with their parent */
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        void *a = (void *)(uintptr_t)all[i];
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(trylock_never_waits, a),
            cmocka_unit_test_prestate(one_at_a_time, a),
            cmocka_unit_test_prestate(ping_pong, a),
            cmocka_unit_test_prestate(first_come_first_served, a),
        };
        failed += cmocka_run_group_tests_name(all[i]->name, tests, NULL, NULL);
    }
    return failed;
}
