/* SPDX-License-Identifier: MIT */
#include "kill_at_step.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kill_at_step_peers.h"
#include "traced.h"

/*
 * A run that takes longer than LONGEST_S hangs.  Where others sleep when a victim dies, a bounded
 * wait passes: only one in LATE_ONE_IN second victims dies late.  In brief, not every first victim
 * is followed by one at each step, but at each step there are some.
 */
enum { LONGEST_S = 100, LOOK_US = 50, LATE_ONE_IN = 8, BRIEF_STRIDE = 3, WITNESSES_MAX = 4 };

/* No operation has that many steps. */
static const unsigned most_steps[] = {
    [KILL_CALLS] = 2000, [KILL_INSTRUCTIONS] = 50000, [KILL_SYSTEM_CALLS] = 2000};

static const char *const ending_names[] = {
    "killed",       "stopped and killed",      "stopped and continued",
    "thread ended", "with another one beside", "watched"};

struct victim {
    const struct kill_case *test;
    void (*act)(void);
    enum kill_ending ending;
    unsigned at;
};

/* Where a victim is that was started, and let run to its step. */
enum progress { THROUGH, STOPPED, DEAD };

static const struct kill_table *table;
static const struct victim *current; /* the one that runs, or ran last */
static unsigned kills;
static char doing[300];

/* The victim's own. */
static __thread bool is_counted;
static __thread unsigned steps;

void fw_step_(void)
{
    if (!is_counted || steps++ != current->at)
        return;
    if (current->ending == THREAD_EXITS)
        syscall(SYS_exit, 0);
    kill(getpid(), current->ending == KILLED ? SIGKILL : SIGSTOP);
}

void fw_look_(void)
{
    if (is_counted && current->ending == BESIDE)
        fw_step_();
}

/* --- The victim ------------------------------------------------------------------------------ */

static void be_victim(void)
{
    const struct victim *v = current;

    if (!kill_in_threads_)
        kill_be_mortal_();
    if (v->act == v->test->act && v->test->before != NULL)
        v->test->before();
    __atomic_store_n(&shared->victim, getpid(), __ATOMIC_RELEASE);
    if (table->unit == KILL_CALLS)
        is_counted = true;
    else
        traced_begin();
    v->act();
    is_counted = false;
    kill_set_(&shared->is_through);
}

static void victim_body(void *nothing)
{
    (void)nothing;
    be_victim();
}

/* By calls: it ends, or stops, by itself. */
static enum progress let_run(pid_t victim)
{
    int status;

    CHECK(waitpid(victim, &status, WUNTRACED) == victim);
    if (WIFSTOPPED(status))
        return STOPPED;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
        kill_expect_success_(status, "the victim");
        return THROUGH;
    }
    kills++;
    return DEAD;
}

static enum progress let_run_traced(pid_t victim, unsigned at)
{
    enum __ptrace_request how =
        table->unit == KILL_INSTRUCTIONS ? PTRACE_SINGLESTEP : PTRACE_SYSCALL;

    if (at == KILL_NEVER) {
        traced_finish(victim);
        return THROUGH;
    }
    for (unsigned n = 0; n < at; n++) {
        if (kill_is_set_(&shared->is_through)) {
            kill_and_wait(victim);
            kills++;
            return THROUGH;
        }
        if (!traced_next(victim, how))
            return THROUGH;
    }
    return STOPPED;
}

static void witness(void)
{
    if (table->witness != NULL)
        table->witness();
    else
        current->test->survive();
}

/* Others come while it is stopped: some that wait for it, some that are about to. */
static void end_stopped(const struct victim *v, pid_t victim)
{
    unsigned n = v->ending == KILLED ? 0 : table->witnesses != 0 ? table->witnesses : 1;
    struct kill_actor witnesses[WITNESSES_MAX];
    int status;

    kill_set_(&shared->has_stopped);
    CHECK(n <= WITNESSES_MAX);
    for (unsigned i = 0; i < n; i++)
        kill_actor_start(&witnesses[i], witness);
    for (unsigned i = 0; i < n; i++)
        if (table->is_witness_first || v->at % 2 == 0)
            kill_await_idle_(witnesses[i].process);
    if (v->ending != CONTINUED) {
        kill_and_wait(victim);
        kills++;
    } else if (table->unit != KILL_CALLS) {
        traced_finish(victim);
    } else {
        kill(victim, SIGCONT);
        CHECK(waitpid(victim, &status, 0) == victim);
        kill_expect_success_(status, "the victim");
    }
    for (unsigned i = 0; i < n; i++)
        kill_actor_finish(&witnesses[i]);
}

/* One victim; was it through before its step came? */
static bool end_victim(const struct victim *v)
{
    enum progress progress;
    pid_t victim;

    current = v;
    shared->at = v->at;
    shared->has_stopped = shared->is_through = false;
    shared->victim = 0;
    if (kill_in_threads_) {
        struct kill_actor thread;
        kill_actor_start(&thread, be_victim);
        kill_actor_finish(&thread);
        kills += !kill_is_set_(&shared->is_through);
        return kill_is_set_(&shared->is_through);
    }
    if (table->unit == KILL_CALLS) {
        victim = start(victim_body, NULL);
        progress = let_run(victim);
    } else {
        victim = traced_start(victim_body, NULL);
        progress = let_run_traced(victim, v->at);
    }
    if (progress == STOPPED)
        end_stopped(v, victim);
    return progress == THROUGH;
}

/* The same for a victim beside which another one comes. */
static bool end_victim_beside(const struct victim *v)
{
    struct kill_actor beside;
    enum progress progress;
    pid_t victim;
    int status;

    current = v;
    victim = start(victim_body, NULL);
    await_victim_idle();
    kill_actor_start(&beside, v->test->second);
    kill_await_idle_(beside.process);
    progress = let_run(victim);
    CHECK(progress != DEAD);
    if (progress == STOPPED) {
        kill(victim, SIGCONT);
        CHECK(waitpid(victim, &status, 0) == victim);
        kill_expect_success_(status, "the victim");
    }
    kill_actor_finish(&beside);
    return progress == THROUGH;
}

/* --- Runs ------------------------------------------------------------------------------------ */

static void begin_run(const struct kill_case *c, struct kill_actor *peer)
{
    limit(LONGEST_S, doing);
    memset(shared, 0, sizeof *shared);
    if (c->reset != NULL)
        c->reset();
    if (c->peer == NULL)
        return;
    kill_actor_start(peer, c->peer);
    while (!kill_is_set_(&shared->is_peer_ready))
        usleep(LOOK_US);
    if (!kill_in_threads_)
        kill_await_idle_(peer->process);
}

static void end_run(const struct kill_case *c, struct kill_actor *peer)
{
    kill_set_(&shared->is_over);
    c->survive();
    if (c->peer != NULL)
        kill_actor_finish(peer);
    shared->is_alone = true;
    c->survive();
    if (table->after != NULL)
        table->after();
    alarm(0);
}

/* `first` may be followed by `second`.  Is the last victim through? */
static bool run(const struct victim *first, const struct victim *second)
{
    struct kill_actor peer;
    bool is_through;

    begin_run(first->test, &peer);
    is_through = first->ending == BESIDE ? end_victim_beside(first) : end_victim(first);
    if (second != NULL)
        is_through = end_victim(second);
    end_run(first->test, &peer);
    return is_through;
}

static void say_what(const struct victim *first, const struct victim *second)
{
    int n = snprintf(doing, sizeof doing, "%s: %s, %s at step %u", table->name, first->test->name,
                     ending_names[first->ending], first->at);

    if (second != NULL)
        snprintf(doing + n, sizeof doing - (size_t)n, ", then another at step %u", second->at);
}

static unsigned stride(void)
{
    return table->stride != 0 ? table->stride : 1;
}

/* Every step.  Returns how many there are. */
static unsigned end_at_each_step(const struct kill_case *c, enum kill_ending ending)
{
    struct victim v = {.test = c, .act = c->act, .ending = ending, .at = KILL_NEVER};
    bool is_survivor = ending == CONTINUED || ending == BESIDE;
    unsigned changes = 0;
    int before = 0, through;

    say_what(&v, NULL);
    CHECK(run(&v, NULL));
    through = shared->outcome;
    for (v.at = 0;; v.at += stride()) {
        bool is_through;
        CHECK(v.at < most_steps[table->unit]);
        say_what(&v, NULL);
        is_through = run(&v, NULL);
        changes += v.at != 0 && shared->outcome != before;
        before = shared->outcome;
        if (is_through)
            break;
        if (is_survivor && shared->outcome != through)
            fail("%s: the outcome is %d instead of %d", doing, shared->outcome, through);
    }
    if (ending == KILLED && c->changes < ANY_CHANGES && changes != c->changes)
        fail("%s: %s: the outcome changed %u times, not %u", table->name, c->name, changes,
             c->changes);
    return v.at;
}

static void kill_two(const struct kill_case *c, unsigned n)
{
    struct victim first = {.test = c, .act = c->act, .ending = KILLED};
    struct victim second = {.test = c, .act = c->second};
    bool is_sampled = is_brief() && n >= BRIEF_STRIDE * stride();
    unsigned between = stride() * (is_sampled ? BRIEF_STRIDE : 1);

    for (first.at = 0; first.at < n; first.at += stride()) {
        for (second.at = first.at % between;; second.at += between) {
            second.ending = (first.at + second.at) % LATE_ONE_IN == 0 ? KILLED_AWAITED : KILLED;
            CHECK(second.at < most_steps[table->unit]);
            say_what(&first, &second);
            if (run(&first, &second))
                break;
        }
    }
}

static unsigned watch(const struct kill_case *c)
{
    struct victim v = {.test = c, .act = c->act, .ending = WATCHED};
    enum __ptrace_request how =
        table->unit == KILL_INSTRUCTIONS ? PTRACE_SINGLESTEP : PTRACE_SYSCALL;
    struct kill_actor peer;
    pid_t victim;

    say_what(&v, NULL);
    begin_run(c, &peer);
    current = &v;
    victim = traced_start(victim_body, NULL);
    do {
        table->watch();
        v.at++;
    } while (traced_next(victim, how));
    end_run(c, &peer);
    return v.at;
}

static unsigned end_in_each_way(const struct kill_case *c)
{
    unsigned endings = table->endings != 0 ? table->endings : KILL_ENDINGS_OF_PROCESS;
    unsigned n = 0;

    if (c->changes == CHANGES_BESIDE)
        return end_at_each_step(c, BESIDE);
    if ((endings & KILL_ENDING(WATCHED)) != 0)
        return watch(c);
    for (enum kill_ending e = KILLED; e <= THREAD_EXITS; e++) {
        unsigned reached = (endings & KILL_ENDING(e)) != 0 ? end_at_each_step(c, e) : 0;
        n = n != 0 ? n : reached;
    }
    if ((endings & KILL_ENDING(KILLED_TWICE)) != 0 && c->second != NULL && c->peer == NULL)
        kill_two(c, n);
    return n;
}

unsigned kill_at_each_step(const struct kill_table *t, const char *only)
{
    unsigned before = kills;

    table = t;
    kill_in_threads_ = (t->endings & KILL_ENDING(THREAD_EXITS)) != 0;
    if (shared == NULL)
        shared = share(sizeof *shared);
    if (t->prepare != NULL)
        t->prepare();
    for (const struct kill_case *c = t->cases; c->name != NULL; c++) {
        uint64_t began = now_ns();
        unsigned n;
        if (only != NULL && strcmp(only, c->name) != 0)
            continue;
        n = end_in_each_way(c);
        printf("%s: %s: %u steps, %.1f s\n", t->name, c->name, n, (double)(now_ns() - began) / 1e9);
        fflush(stdout);
    }
    return kills - before;
}
