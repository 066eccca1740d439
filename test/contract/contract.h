/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_CONTRACT_H
#define FW_TEST_CONTRACT_H

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/adapters/adapter.h"
#include "bench/adapters/cond_adapter.h"
#include "bench/adapters/rw_adapter.h"
#include "bench/adapters/sync_adapter.h"
#include "measure/clock.h"
#include "measure/rng.h"
#include "measure/workers.h"

/*
 * The contract of a lock, in groups of tests.  A group is run for every adapter of its family that
 * claims what the group tests.  The object under test is `subject_head`; what it can do is in the
 * one of the other variables that is named after its family.
 *
 * Most of the others can be used as a lock, too: a read-write lock by its writers, a semaphore of
 * one unit, an event that resets itself, a flag with a condition variable.  `subject` is that lock
 * then, and the groups that test locks serve for all of them.
 */
extern const adapter_head *subject_head;
extern const struct adapter *subject;
extern const struct rw_adapter *rw_subject;
extern const struct cond_adapter *cond_subject;
extern const struct sem_adapter *sem_subject;
extern const struct event_adapter *event_subject;
extern const struct barrier_adapter *barrier_subject;

struct contract_family {
    const adapter_head *(*at)(size_t i); /* the i-th of this build, or NULL */
    void (*choose)(const adapter_head *a);
};

extern const struct contract_family family_locks, family_rw, family_cond, family_await, family_sem,
    family_event, family_barrier;

/* A group: its tests, and those of groups that test locks, if the subject can be used as one. */
struct contract_group {
    const char *name;
    const struct contract_family *family;
    bool (*applies)(void);                      /* to the subject */
    const struct CMUnitTest *tests;             /* the last has no name; NULL: none */
    const struct contract_group *const *also;   /* ends with NULL; NULL: none */
    bool (*also_applies)(void);                 /* NULL: always */
    const struct CMUnitTest *between_processes; /* for what is between processes only */
};

/* cmocka's count of failures, of all tests of the group that apply. */
int group_run(const struct contract_group *g);

#define TEST(name) static void name(void **state __attribute__((unused)))
#define TEST_LIST(...)          \
    (const struct CMUnitTest[]) \
    {                           \
        __VA_ARGS__,            \
        {                       \
            .name = NULL        \
        }                       \
    }
#define TESTS(...) .tests = TEST_LIST(__VA_ARGS__)
#define ALSO(...)                                  \
    .also = (const struct contract_group *const[]) \
    {                                              \
        __VA_ARGS__, NULL                          \
    }

extern const struct contract_group group_exclusion, group_trylock, group_timed, group_order,
    group_wakeup, group_lifetime, group_misuse, group_memory, group_idle;
extern const struct contract_group group_rw_exclusion, group_rw_sharing, group_rw_try,
    group_rw_timed, group_rw_preference, group_rw_wakeup, group_rw_lifetime, group_rw_misuse,
    group_rw_memory, group_rw_idle;
extern const struct contract_group group_cond_wakeup, group_cond_timed, group_cond_lifetime,
    group_cond_cancel, group_cond_misuse, group_cond_memory, group_cond_idle, group_cond_await;
extern const struct contract_group group_sem_units, group_sem_wakeup, group_sem_timed,
    group_sem_lifetime, group_sem_memory, group_sem_idle;
extern const struct contract_group group_event_states, group_event_wakeup, group_event_timed,
    group_event_lifetime, group_event_memory, group_event_idle;
extern const struct contract_group group_barrier_rounds, group_barrier_lifetime, group_barrier_idle;

/* How long one test may take before its watchdog calls it a hang, in seconds. */
extern unsigned patience;

enum { MS = 1000000 /* nanoseconds */ };

bool subject_is(unsigned flag);

/* What a group may apply to: all, or those that claim something. */
bool always(void);
bool blocks(void);
bool is_freeable(void);
bool knows_owner(void);

/*
 * As many tasks as the lock takes kindly: where waiters never sleep, no more than there are CPUs
 * (but two), so that the holder gets to run.
 */
unsigned kind_tasks(unsigned wanted);

/*
 * As many rounds as take about as long for every lock: fewer where each costs a context switch
 * (fair locks) or perhaps a time slice (spin locks), and under a sanitizer.  A fifth of them where
 * is_brief: of others' locks, which show that the tests are right; a quarter where is_quick, but
 * not under a sanitizer.
 */
unsigned kind_rounds(unsigned wanted);
extern bool is_brief, is_quick;

/*
 * What a holder does with the lock: works for up to that long, and at times lets the others run
 * into the held lock, whether or not there is a CPU free for them.
 */
void hold(struct rng *random, uint32_t most_ns);

/* One lock, ready; private, or shared with forked children.  The test fails where there is none. */
void *lock_make(bool shared);
void lock_unmake(void *lock);

/* The same for the object of a family that is not the locks'. */
void *object_make(bool shared);
void object_unmake(void *object);

/* Runs the body in n tasks, all started at once, under a watchdog that shows the lock. */
void tasks_run(unsigned n, unsigned kind, const char *what, void *lock,
               void (*body)(unsigned, void *), void *arg);

/* Zeroed memory that forked children share. */
void *shared_make(size_t size);
void shared_unmake(void *memory, size_t size);

/* A barrier for n tasks, which may be processes. */
void meeting_make(pthread_barrier_t *meet, unsigned n);

/*
 * A thread that asks for the lock: helper_start returns when the thread waits for the lock, or has
 * got it.  It waits when it is queued and, where waiters sleep, sleeps; where no line is to be
 * seen, when it sleeps or has polled for a while.
 */
struct helper {
    void *lock;
    void (*got)(void *arg); /* called while the lock is held */
    void *arg;
    void (*ask)(void *lock); /* NULL: subject->lock */
    void (*unlock)(void *lock);
    int state_; /* internal from here */
    int tid_;
    unsigned long thread_;
    uint64_t asked_ns_; /* the CPU time that it had used when it asked */
    uint64_t ahead_;    /* who stood in line before it */
};

void helper_start(struct helper *h);
void helper_join(struct helper *h);
bool helper_has(const struct helper *h);

/* Returns when the thread of this id sleeps in the kernel, or *done is not 0. */
void await_asleep(const int *tid, const int *done);
int own_tid(void);

/* That a thread that waits sleeps: it asks for what another holds. */
void check_idle(void (*hold_)(void *), void (*release)(void *), void (*ask)(void *),
                void (*leave)(void *));

/* A way to have an object: the calls of a lock, of a reader or of a writer; some may be NULL. */
struct mode {
    void (*lock)(void *object);
    void (*unlock)(void *object);
    int (*trylock)(void *object);
    int (*timedlock)(void *object, const struct timespec *at);
};

struct mode as_lock(void); /* the subject's */

/*
 * Tasks that read and write data under a lock, many times: whoever comes in finds the last write
 * whole, and a writer is alone; each success counts, and in the end the lock is free.
 */
struct load {
    unsigned tasks, kind, rounds;
    struct mode writing, reading;
    unsigned reads;                                  /* of 16 turns */
    enum { LOAD_LOCKS, LOAD_TRIES, LOAD_TIMES } how; /* some of the tasks */
    uint32_t hold_ns; /* how long they stay; 0: not at all, or a yield */
    uint32_t meet_ns; /* they meet before each turn, and come within that time; 0: they do not */
};

void load_run(const char *what, const struct load *l);

/* One attempt, in a thread of its own, which gives back what it gets. */
struct attempt {
    void *object;
    struct mode mode;
    bool tries; /* without waiting */
    int64_t wait_ns;
    int answer;
    uint64_t took_ns;
};

void attempt_once(unsigned index, void *attempt);

/* What another thread is answered that tries. */
int answer_to(void *object, struct mode mode);

/* The same within some time, under the caller's watchdog; a time-out comes not before its time. */
int answer_in_time(void *object, struct mode mode, int64_t wait_ns);

/* Deadlines from long ago to some milliseconds ahead. */
enum { DEADLINES = 4 };
extern const int64_t deadlines_ns[DEADLINES];

/*
 * That an object can be freed by its last user, many times over; `drop` gives one reference back
 * and says whether it was the last.
 */
void check_life(unsigned tasks, bool mapped, const adapter_head *a,
                bool (*drop)(void *object, unsigned *references, struct rng *random));

#endif
