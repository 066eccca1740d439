/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contract.h"
#include "measure/watchdog.h"
#include "test/support/asleep.h"
#include "test/support/now.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SLOWDOWN 8
#else
#define SLOWDOWN 1
#endif

const adapter_head *subject_head;
const struct adapter *subject;
unsigned patience = 60;

bool subject_is(unsigned flag)
{
    return (subject_head->flags & flag) != 0;
}

bool always(void)
{
    return true;
}

bool blocks(void)
{
    return subject_is(ADAPTER_BLOCKS);
}

bool is_freeable(void)
{
    return subject_is(ADAPTER_FREEABLE);
}

bool knows_owner(void)
{
    return subject_is(ADAPTER_OWNER);
}

unsigned kind_tasks(unsigned wanted)
{
    unsigned cpus = cpus_usable();

    if (cpus < 2)
        cpus = 2;
    return subject_is(ADAPTER_BLOCKS) || wanted <= cpus ? wanted : cpus;
}

bool is_brief, is_quick;

unsigned kind_rounds(unsigned wanted)
{
    if (is_brief)
        wanted /= 5;
    else if (is_quick && SLOWDOWN == 1)
        wanted /= 4;
    if (subject_is(ADAPTER_FAIR))
        wanted /= 8;
    if (!subject_is(ADAPTER_BLOCKS))
        wanted /= 4;
    wanted /= SLOWDOWN;
    return wanted > 2 ? wanted : 2;
}

void hold(struct rng *random, uint32_t most_ns)
{
    if (most_ns > 0)
        work_ns(rng_below(random, most_ns));
    if (subject_is(ADAPTER_BLOCKS) && rng_below(random, 4) == 0)
        sched_yield();
}

static void *make(const adapter_head *a, bool shared)
{
    void *object = adapter_head_make(a, 1, shared);

    if (object == NULL)
        fail_msg("no %s: %s", a->name, strerror(errno));
    return object;
}

void *lock_make(bool shared)
{
    return make((const adapter_head *)subject, shared);
}

void lock_unmake(void *lock)
{
    adapter_unmake(subject, lock, 1);
}

void *object_make(bool shared)
{
    return make(subject_head, shared);
}

void object_unmake(void *object)
{
    adapter_head_unmake(subject_head, object, 1);
}

void meeting_make(pthread_barrier_t *meet, unsigned n)
{
    pthread_barrierattr_t attr;

    pthread_barrierattr_init(&attr);
    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(meet, &attr, n);
}

void tasks_run(unsigned n, unsigned kind, const char *what, void *lock,
               void (*body)(unsigned, void *), void *arg)
{
    watchdog_start(patience, what, lock, subject_head->size, NULL, NULL);
    int result = workers_run(n, kind, body, arg);
    watchdog_stop();
    assert_int_equal(result, 0);
}

void *shared_make(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);

    assert_true(memory != MAP_FAILED);
    return memory;
}

void shared_unmake(void *memory, size_t size)
{
    munmap(memory, size);
}

int own_tid(void)
{
    return (int)syscall(SYS_gettid);
}

enum helper_state { HELPER_COMES, HELPER_ASKS, HELPER_HAS };

static void *helper_body(void *arg)
{
    struct helper *h = arg;

    h->tid_ = own_tid();
    h->asked_ns_ = clock_thread_cpu_ns();
    __atomic_store_n(&h->state_, HELPER_ASKS, __ATOMIC_RELEASE);
    h->ask(h->lock);
    __atomic_store_n(&h->state_, HELPER_HAS, __ATOMIC_RELEASE);
    if (h->got != NULL)
        h->got(h->arg);
    h->unlock(h->lock);
    return NULL;
}

static uint64_t used_ns(const struct helper *h)
{
    clockid_t clock;

    return pthread_getcpuclockid(h->thread_, &clock) == 0 ? now_ns_of(clock) : 0;
}

/*
 * A poller of a lock that shows no line counts as a waiter once it has used that much CPU
 * time since it asked.  What it used before says nothing: to start a thread may take as long.
 */
enum { POLLED_NS = 5 * MS };

static bool has_polled(const struct helper *h)
{
    return used_ns(h) > h->asked_ns_ + POLLED_NS;
}

/*
 * A thread under a sanitizer or an emulator may sleep on one of their locks, for a moment, before
 * it sleeps on ours.
 */
static bool stays_asleep(const struct helper *h)
{
    uint64_t used = used_ns(h);

    if (!is_asleep(h->tid_))
        return false;
    clock_sleep_ns(MS / 5);
    return is_asleep(h->tid_) && used_ns(h) == used;
}

/* Can it be seen who is queued for what this helper asks for? */
static bool has_line(const struct helper *h)
{
    return subject->line != NULL && h->ask == subject->lock;
}

static bool is_waiting(const struct helper *h)
{
    int state = __atomic_load_n(&h->state_, __ATOMIC_ACQUIRE);

    if (state == HELPER_HAS)
        return true;
    if (state != HELPER_ASKS)
        return false;
    if (has_line(h) && subject->line(h->lock) <= h->ahead_)
        return false;
    if (subject_is(ADAPTER_BLOCKS))
        return stays_asleep(h);
    return has_line(h) || has_polled(h);
}

void helper_start(struct helper *h)
{
    h->state_ = HELPER_COMES;
    if (h->ask == NULL)
        h->ask = subject->lock;
    if (h->unlock == NULL)
        h->unlock = subject->unlock;
    h->ahead_ = has_line(h) ? subject->line(h->lock) : 0;
    assert_int_equal(pthread_create(&h->thread_, NULL, helper_body, h), 0);
    while (!is_waiting(h))
        clock_sleep_ns(MS / 10);
}

void helper_join(struct helper *h)
{
    assert_int_equal(pthread_join(h->thread_, NULL), 0);
}

bool helper_has(const struct helper *h)
{
    return __atomic_load_n(&h->state_, __ATOMIC_ACQUIRE) == HELPER_HAS;
}

void await_asleep(const int *tid, const int *done)
{
    for (;;) {
        int id = __atomic_load_n(tid, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(done, __ATOMIC_ACQUIRE) != 0 || (id != 0 && is_asleep(id)))
            return;
        clock_sleep_ns(MS / 10);
    }
}

/* A loaded machine is no failure, a hang is. */
#define LATE_NS (30000 * (uint64_t)MS)

const int64_t deadlines_ns[DEADLINES] = {-1000 * MS, 0, MS / 50, 5 * MS};

struct mode as_lock(void)
{
    return (struct mode){subject->lock, subject->unlock, subject->trylock, subject->timedlock};
}

void attempt_once(unsigned index, void *attempt)
{
    struct attempt *a = attempt;
    uint64_t began = clock_ns();
    struct timespec at = clock_in_ns(a->wait_ns);

    (void)index;
    a->answer = a->tries ? a->mode.trylock(a->object) : a->mode.timedlock(a->object, &at);
    a->took_ns = clock_ns() - began;
    if (a->answer == 0)
        a->mode.unlock(a->object);
}

int answer_to(void *object, struct mode mode)
{
    struct attempt a = {.object = object, .mode = mode, .tries = true};

    assert_int_equal(workers_run(1, WORKER_THREADS, attempt_once, &a), 0);
    return a.answer;
}

int answer_in_time(void *object, struct mode mode, int64_t wait_ns)
{
    struct attempt a = {.object = object, .mode = mode, .wait_ns = wait_ns};

    assert_int_equal(workers_run(1, WORKER_THREADS, attempt_once, &a), 0);
    assert_true(a.took_ns < LATE_NS);
    if (a.answer == ETIMEDOUT)
        assert_true((int64_t)a.took_ns >= wait_ns);
    return a.answer;
}
