/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <math.h>
#include <string.h>

#include <furwock/bits/atomic.h>

#include "../engine/model.h"
#include "../faults.h"
#include "../memory.h"
#include "../programs/release_calls.h"
#include "../programs/script.h"
#include "clocks.h"
#include "measure/rng.h"

static struct {
    const struct cores_lock *lock;
    const struct run_plan *plan;
    uint64_t *counter; /* beside the lock */
    void *memory;
    uint64_t asked[MODEL_MAX_THREADS], count[MODEL_MAX_THREADS], longest[MODEL_MAX_THREADS];
    struct rng rng[MODEL_MAX_THREADS];
    bool waits[MODEL_MAX_THREADS];
    uint64_t released; /* when the last owner began to unlock */
    uint64_t hand_overs, handed_over;
} run;

extern const struct release_calls release_shipped; /* written by faults.py */
const void *calls_in_use[FAMILIES];
enum fault_rule model_broken_rule;

/* --- What each thread does ---------------------------------------------------------------- */

/* In which a thread does what nobody notices. */
static void work(uint64_t time)
{
    clocks.now[model_current] += time;
}

/* The thread's clock; before it is read, what others do earlier is done. */
static uint64_t now(void)
{
    model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
    return clocks.now[model_current];
}

static void has_lock(unsigned self)
{
    uint64_t at = now();

    run.waits[self] = false;
    run.count[self]++;
    if (at - run.asked[self] > run.longest[self])
        run.longest[self] = at - run.asked[self];
    if (run.released > run.asked[self]) {
        run.hand_overs++;
        run.handed_over += at - run.released;
    }
}

static void write_once(unsigned self)
{
    run.lock->lock(run.memory, self);
    has_lock(self);
    fw_store64_relaxed(run.counter, fw_load64_relaxed(run.counter) + 1);
    *shadow(0) += 1;
    work(run.plan->inside);
    run.released = now();
    run.lock->unlock(run.memory, self);
}

static void read_once(unsigned self)
{
    uint64_t seen;

    run.lock->read(run.memory, self);
    has_lock(self);
    seen = fw_load64_relaxed(run.counter);
    work(run.plan->inside);
    run.released = now();
    if (seen != *shadow(0))
        model_thread_fail("exclusion", "one that reads saw %llu, and it is %llu", seen, *shadow(0));
    run.lock->read_end(run.memory, self);
}

static void body(unsigned self)
{
    for (;;) {
        struct rng *rng = &run.rng[self];
        work(rng_next(rng) % (2 * run.plan->outside + 1));
        bool reads = run.plan->reads != 0 && rng_below(rng, 100) < run.plan->reads;
        run.asked[self] = now();
        run.waits[self] = true;
        if (reads && run.lock->read != NULL)
            read_once(self);
        else
            write_once(self);
    }
}

static void setup(void)
{
    uint8_t *memory = model_object("lock", CORES_LOCK_BYTES + 64, NULL, NULL);

    run.memory = memory;
    run.counter = (uint64_t *)(memory + CORES_LOCK_BYTES);
    if (run.lock->init != NULL)
        run.lock->init(memory);
}

static void paused(unsigned self)
{
    clocks.now[self] += machine_costs.pause;
}

static const struct model_hooks hooks = {
    .setup = setup, .thread = body, .own = script_own, .paused = paused};

/* --- Runs --------------------------------------------------------------------------------- */

static void begin(const struct model_program *program)
{
    const struct run_plan *plan = run.plan;

    machine_reset(plan->cores, plan->nodes);
    calls_in_use[FAMILY_RELEASE] = &release_shipped;
    for (unsigned i = 0; i < plan->cores; i++)
        rng_seed(&run.rng[i], plan->seed * MACHINE_MAX_CORES + i);
    model_program = program;
    clocks_begin();
}

/* What has happened up to now is not counted. */
static void forget(void)
{
    memset(run.count, 0, sizeof run.count);
    memset(run.longest, 0, sizeof run.longest);
    run.hand_overs = run.handed_over = 0;
    clocks.failed = clocks.sleeps = clocks.fences = 0;
    machine_counts = (struct machine_counts){0};
}

static void evaluate(uint64_t end, struct run_result *r)
{
    const struct run_plan *plan = run.plan;
    double sum = 0, squares = 0, seconds = (double)plan->duration / 1e12, n = plan->cores;
    uint64_t transfer =
        plan->nodes > 1 ? (machine_costs.near + machine_costs.far) / 2 : machine_costs.near;
    /* The lines of the lock and the counter. */
    double serial = (double)(plan->inside + 2 * transfer) * (100 - plan->reads) / 100;
    double most = n * 1e12 / (double)(plan->inside + plan->outside);

    *r = (struct run_result){0};
    for (unsigned i = 0; i < plan->cores; i++) {
        sum += (double)run.count[i];
        squares += (double)run.count[i] * (double)run.count[i];
        if (run.waits[i] && end - run.asked[i] > run.longest[i]) /* and waits still */
            run.longest[i] = end - run.asked[i];
        if ((double)run.longest[i] / NS > r->longest_wait)
            r->longest_wait = (double)run.longest[i] / NS;
    }
    if (sum == 0)
        return;
    r->per_second = sum / seconds;
    r->ideal = r->per_second / (most * serial > 1e12 ? 1e12 / serial : most);
    r->misses = (double)(machine_counts.near + machine_counts.far + machine_counts.memory) / sum;
    r->far = (double)machine_counts.far / sum;
    r->hand_over = run.hand_overs == 0 ? 0 : (double)run.handed_over / NS / (double)run.hand_overs;
    r->variation = sqrt(fmax(squares / n - (sum / n) * (sum / n), 0)) / (sum / n);
    r->sleeps = (double)clocks.sleeps / sum;
    r->fences = (double)clocks.fences / sum;
    r->failed = (double)clocks.failed / sum;
}

bool run_lock(const struct cores_lock *lock, const struct run_plan *plan, struct run_result *r)
{
    const struct model_program program = {.name = lock->name,
                                          .hooks = &hooks,
                                          .threads = plan->cores,
                                          .time_passes = true,
                                          .cpu_count = plan->cores};
    const uint64_t warm = plan->duration / 10;

    memset(&run, 0, sizeof run);
    run.lock = lock;
    run.plan = plan;
    begin(&program);
    while (clocks_go_on(warm))
        ;
    forget();
    while (model_failure.kind == NULL && clocks_go_on(warm + plan->duration))
        ;
    for (unsigned i = 0; i < plan->cores; i++)
        memory_drain(i);
    if (model_failure.kind == NULL && *run.counter != *shadow(0))
        model_fail("exclusion", "%llu were added to a counter, and it is %llu", *shadow(0),
                   *run.counter);
    if (model_failure.kind != NULL)
        return false;
    evaluate(warm + plan->duration, r);
    return true;
}
