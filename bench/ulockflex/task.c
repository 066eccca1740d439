/* SPDX-License-Identifier: MIT */
#include <sys/resource.h>

#include "measure/clock.h"
#include "measure/rng.h"
#include "run.h"

struct task {
    const struct shared_state *shared;
    struct calls calls[MODES];
    struct result *result;
    struct histogram *waits; /* one for each mode */
    struct rng random;
    uint64_t id;        /* task number + 1 */
    uint64_t lht_steps; /* means, in steps of work */
    uint64_t nlht_steps;
    uint64_t read_below; /* of 2^32: a draw below that is a read lock */
    uint64_t at_begin;   /* iterations when MEASURE began, and those with a read lock */
    uint64_t reads_at_begin;
    uint64_t steps; /* of work that it has done, and when MEASURE began */
    uint64_t steps_at_begin;
    struct rusage usage; /* of this task when MEASURE began */
    uint32_t phase;
    enum probe probe;
    bool random_pick;
    bool sharing;
};

/* Uniform over 0.5 to 1.5 of the mean, as in the paper. */
static inline uint64_t draw(struct task *t, uint64_t mean)
{
    uint64_t r = rng_next(&t->random) >> 32;

    return mean / 2 + ((r * mean) >> 32);
}

static inline enum mode draw_mode(struct task *t)
{
    if (!t->sharing)
        return MODE_WRITE;
    return rng_next(&t->random) >> 32 < t->read_below ? MODE_READ : MODE_WRITE;
}

static uint64_t cpu_ns(const struct rusage *u)
{
    uint64_t us = (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000u +
                  (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);

    return us * 1000u;
}

static void measure_begins(struct task *t)
{
    getrusage(RUSAGE_THREAD, &t->usage);
    t->at_begin = t->result->iterations;
    t->reads_at_begin = t->result->reads;
    t->steps_at_begin = t->steps;
}

static void measure_ends(struct task *t)
{
    struct rusage now;
    struct result *r = t->result;

    if (t->phase != PHASE_MEASURE)
        return; /* waited all the time for one lock call */
    getrusage(RUSAGE_THREAD, &now);
    r->measured[MODE_READ] = r->reads - t->reads_at_begin;
    r->measured[MODE_WRITE] = r->iterations - t->at_begin - r->measured[MODE_READ];
    r->cpu_ns = cpu_ns(&now) - cpu_ns(&t->usage);
    r->useful_steps = t->steps - t->steps_at_begin;
    r->voluntary = (uint64_t)(now.ru_nvcsw - t->usage.ru_nvcsw);
    r->involuntary = (uint64_t)(now.ru_nivcsw - t->usage.ru_nivcsw);
}

static uint32_t current_phase(const struct task *t)
{
    return __atomic_load_n(&t->shared->control->phase, __ATOMIC_RELAXED);
}

/* A wait that began before MEASURE and ended in it counts, or a starving task would not show. */
static void acquire_timed(struct task *t, void *lock, enum mode mode)
{
    uint64_t begin = clock_ns();

    t->calls[mode].lock(lock);
    uint64_t took = clock_ns() - begin;

    if (current_phase(t) != PHASE_WARM)
        histogram_add(&t->waits[mode], took);
}

static void acquire_counted(struct task *t, void *lock, enum mode mode)
{
    if (t->calls[mode].trylock(lock) == 0)
        return;
    if (t->phase == PHASE_MEASURE)
        t->result->contended[mode]++;
    t->calls[mode].lock(lock);
}

static inline void acquire(struct task *t, void *lock, enum mode mode)
{
    if (t->probe == PROBE_WAITS)
        acquire_timed(t, lock, mode);
    else if (t->probe == PROBE_CONTENTION)
        acquire_counted(t, lock, mode);
    else
        t->calls[mode].lock(lock);
}

/* Right after acquiring: nobody else may be inside.  Returns the serial number of this visit. */
static inline uint64_t guarded_enter(struct task *t, struct guarded *g)
{
    uint64_t serial = g->serial + 1;

    if (g->owner != 0 || g->mirror != serial - 1)
        t->result->violations++;
    g->owner = t->id;
    g->serial = serial;
    if (current_phase(t) != PHASE_MEASURE) /* after STOP each waiting task gets in once more */
        return serial;
    if (g->last == t->id) {
        g->run++;
    } else {
        if (g->run != 0)
            g->runs[g->run < 4 ? g->run - 1 : 3]++;
        g->last = t->id;
        g->run = 1;
    }
    if (g->run > g->longest)
        g->longest = g->run;
    return serial;
}

/* Right before releasing: the structure must be as this task has left it. */
static inline void guarded_leave(struct task *t, struct guarded *g, uint64_t serial)
{
    if (g->owner != t->id || g->serial != serial || g->mirror != serial - 1)
        t->result->violations++;
    g->mirror = serial;
    g->owner = 0;
}

/* A reader: no writer may be inside, nor have left its work half done, now ... */
static inline uint64_t guarded_look(struct task *t, const struct guarded *g)
{
    uint64_t serial = g->serial;

    if (g->owner != 0 || g->mirror != serial)
        t->result->violations++;
    return serial;
}

/* ... nor have been there in between. */
static inline void guarded_look_again(struct task *t, const struct guarded *g, uint64_t serial)
{
    if (g->owner != 0 || g->serial != serial || g->mirror != serial)
        t->result->violations++;
}

/* One visit to the lock, holding it for that many steps of work. */
static inline void visit(struct task *t, void *lock, struct guarded *g, uint64_t steps)
{
    enum mode mode = draw_mode(t);

    acquire(t, lock, mode);
    if (mode == MODE_READ) {
        uint64_t serial = guarded_look(t, g);

        work_do(steps);
        guarded_look_again(t, g, serial);
        t->result->reads++;
    } else {
        uint64_t serial = guarded_enter(t, g);

        work_do(steps);
        guarded_leave(t, g, serial);
    }
    t->calls[mode].unlock(lock);
}

static void iterate(struct task *t, size_t own)
{
    const struct shared_state *s = t->shared;
    uint64_t n = 0;
    size_t i = own;

    for (;;) {
        uint32_t phase = current_phase(t);

        if (phase != t->phase) {
            if (phase == PHASE_STOP)
                return;
            t->phase = phase;
            measure_begins(t);
        }
        uint64_t in = draw(t, t->lht_steps);
        uint64_t out = draw(t, t->nlht_steps);

        if (t->random_pick)
            i = rng_below(&t->random, s->options->locks);

        visit(t, shared_lock(s, i), &s->guarded[i], in);
        work_do(out);
        t->steps += in + out;
        __atomic_store_n(&t->result->iterations, ++n, __ATOMIC_RELAXED);
    }
}

void task_run(const struct shared_state *s, unsigned number)
{
    const struct options *o = s->options;
    struct task t = {
        .shared = s,
        .calls = {o->lock.calls[MODE_READ], o->lock.calls[MODE_WRITE]},
        .result = &s->results[number],
        .waits = s->waits != NULL ? &s->waits[number * MODES] : NULL,
        .id = number + 1u,
        .lht_steps = work_steps(o->lht_us * 1e3),
        .nlht_steps = work_steps(o->nlht_us * 1e3),
        .read_below = (uint64_t)(o->share * 0x1p32),
        .phase = PHASE_WARM,
        .probe = o->probe,
        .random_pick = o->random_pick,
        .sharing = o->sharing,
    };

    rng_seed(&t.random, o->seed + number);
    __atomic_fetch_add(&s->control->started, 1, __ATOMIC_RELAXED);
    iterate(&t, number % o->locks);
    measure_ends(&t);
}
