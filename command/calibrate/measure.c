/* SPDX-License-Identifier: MIT */
/*
 * The measurements behind `furwock calibrate`.  A round makes each of them once, beginning with
 * another each time, so that whatever slows the machine for a while slows all of them.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include <furwock/futex.h>

#include "atomic/inspect.h"
#include "calibrate.h"
#include "command/command.h"
#include "measure/clock.h"
#include "measure/stats.h"
#include "measure/workers.h"
#include "sys/clock.h"

enum {
    WAITS = 1000, /* failed waits in a row */
    LOOKS = 200,  /* in a phase: enough that reading the clock does not matter */
    PASSES = 60,  /* of the ball, by each player */
    OBJECT = 32   /* bytes that the holder copies: of the paper's `lifo`, four pointers */
};

static struct fw_stripe_ stripe;

static double failed_wait(void)
{
    uint32_t word = 0;
    uint64_t began = clock_ns();

    for (int i = 0; i < WAITS; i++)
        fw_futex_wait(&word, 1, FW_FUTEX_PRIVATE, NULL);
    return (double)(clock_ns() - began) / WAITS;
}

/* --- The spinning phase ---------------------------------------------------------------------- */

/* Those who take part in one measurement; each has its line of `ns`. */
struct phase {
    unsigned spinners;
    atomic_uint arrived, done;
    struct {
        _Alignas(64) double ns;
    } of[CPU_SETSIZE];
};

static struct phase phase;

/* What word_lock.c does with a lock that is held. */
static inline bool look(void)
{
    for (unsigned pause = 0; pause < FW_WORD_LOCK_PAUSES_; pause++)
        fw_pause_();
    return fw_word_lock_is_held_(fw_load32_relaxed(&stripe.lock.word));
}

static double looks(void)
{
    uint64_t began = clock_ns();

    for (int i = 0; i < LOOKS && look(); i++)
        continue;
    return (double)(clock_ns() - began) / LOOKS;
}

/* Spins before and after its phase as well, so that all phases run beside the others. */
static void spinner(unsigned i)
{
    atomic_fetch_add(&phase.arrived, 1);
    while (atomic_load(&phase.arrived) < phase.spinners)
        look();
    phase.of[i].ns = looks();
    atomic_fetch_add(&phase.done, 1);
    while (atomic_load(&phase.done) < phase.spinners)
        look();
}

/*
 * Operations on an object, one after the other, as the lock's holder and those who come after it
 * make them; but the word says `held` all the time, or the spinners would see something else.
 */
static void hold_and_work(void)
{
    static _Alignas(64) unsigned char object[OBJECT];
    unsigned char value[OBJECT] = {0};

    while (atomic_load_explicit(&phase.done, memory_order_relaxed) < phase.spinners) {
        fw_add32_acquire(&stripe.lock.word, FW_WORD_LOCK_SLEEPER_);
        fw_store64_relaxed(&stripe.sequence, stripe.sequence + 1);
        fw_copy_in_words_(object, value, OBJECT / 8);
        fw_store64_relaxed(&stripe.sequence, stripe.sequence + 1);
        fw_add32_release(&stripe.lock.word, -FW_WORD_LOCK_SLEEPER_);
    }
}

static void take_part(unsigned i, void *arg)
{
    (void)arg;
    cpu_pin(i);
    if (i < phase.spinners)
        spinner(i);
    else
        hold_and_work();
}

/* The slowest phase of that many spinners; the holder is one more, where there is one. */
static bool spin_together(unsigned spinners, bool with_holder, double *ns)
{
    stripe.lock.word = FW_WORD_LOCK_HELD_;
    phase.spinners = spinners;
    atomic_store(&phase.arrived, 0);
    atomic_store(&phase.done, 0);
    if (workers_run(spinners + with_holder, WORKER_THREADS, take_part, NULL) != 0)
        return false;
    *ns = phase.of[0].ns;
    for (unsigned i = 1; i < spinners; i++)
        *ns = fmax(*ns, phase.of[i].ns);
    return true;
}

/* --- Sleeping and waking ---------------------------------------------------------------------- */

/* Two threads pass a ball; the one without it sleeps. */
struct game {
    uint32_t turn;
    unsigned cpu[2];
    uint64_t left_ns; /* when a player went to sleep; 0: none since the ball was passed */
    struct {
        double ns[PASSES];
        unsigned n;
    } switches[2]; /* to each player */
    double ns;     /* of all passes */
};

/*
 * Sleeps until the ball is there.  Where both play on one CPU, the time that the other one went to
 * sleep lies just behind.
 */
static void await_ball(struct game *g, uint32_t me)
{
    while (__atomic_load_n(&g->turn, __ATOMIC_ACQUIRE) != me) {
        __atomic_store_n(&g->left_ns, clock_ns(), __ATOMIC_RELAXED);
        bool slept = fw_futex_wait(&g->turn, !me, FW_FUTEX_PRIVATE, NULL) == 0;
        uint64_t now = clock_ns(), left = __atomic_load_n(&g->left_ns, __ATOMIC_RELAXED);

        if (slept && g->cpu[0] == g->cpu[1] && left != 0 && g->switches[me].n < PASSES)
            g->switches[me].ns[g->switches[me].n++] = (double)(now - left);
    }
}

static void play(unsigned me, void *arg)
{
    struct game *g = arg;
    uint64_t began;

    cpu_pin(g->cpu[me]);
    /* On one CPU: no wake gives it away at once, so that the sleep that follows does. */
    if (g->cpu[0] == g->cpu[1])
        sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
    began = clock_ns();
    for (int i = 0; i < PASSES; i++) {
        await_ball(g, me);
        __atomic_store_n(&g->left_ns, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&g->turn, !me, __ATOMIC_RELEASE);
        fw_futex_wake(&g->turn, 1, FW_FUTEX_PRIVATE);
    }
    if (me == 0)
        g->ns = (double)(clock_ns() - began);
}

/* Half a round trip. */
static bool hand_over(struct game *g, double *ns)
{
    if (workers_run(2, WORKER_THREADS, play, g) != 0)
        return false;
    *ns = g->ns / (2 * PASSES);
    return true;
}

static bool wake_elsewhere(double *ns)
{
    struct game g = {.cpu = {0, 1}};

    return hand_over(&g, ns);
}

/* Where a wake gives the CPU away at once all the same, half a round trip has to do. */
static bool sleep_switch(double *ns)
{
    struct game g = {.cpu = {0, 0}};

    if (!hand_over(&g, ns))
        return false;
    if (g.switches[0].n >= PASSES / 4)
        *ns = stats_median(g.switches[0].ns, g.switches[0].n);
    return true;
}

static bool measure(enum quantity q, unsigned cpus, double *ns)
{
    switch (q) {
    case FAILED_WAIT:
        *ns = failed_wait();
        return true;
    case SLEEP_SWITCH:
        return sleep_switch(ns);
    case LOOK_ALONE:
        return spin_together(1, false, ns);
    case LOOK_PARALLEL:
        return spin_together(cpus, false, ns);
    case LOOK_DISTURBED:
        return spin_together(cpus - 1, true, ns);
    default:
        return wake_elsewhere(ns);
    }
}

static bool needs_multithreaded(enum quantity q)
{
    return q == LOOK_PARALLEL || q == LOOK_DISTURBED || q == WAKE_ELSEWHERE;
}

bool calibrate_round(unsigned cpus, unsigned turn, struct round *out)
{
    for (unsigned i = 0; i < QUANTITIES; i++) {
        enum quantity q = (turn + i) % QUANTITIES;

        out->ns[q] = NAN;
        if (needs_multithreaded(q) && cpus == 1)
            continue;
        if (!measure(q, cpus, &out->ns[q])) {
            command_warn("cannot start %u threads: %s", cpus, strerror(errno));
            return false;
        }
    }
    return true;
}
