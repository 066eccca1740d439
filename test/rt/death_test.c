/* SPDX-License-Identifier: MIT */
/*
 * Death at every step, under every protocol of tier A.  A task (the victim) does something again
 * and again, each time in a group as good as new, and dies one step later each time, until it gets
 * through: a process that is killed, or a thread that ends without a word.  Steps are what others
 * can see (ipc/step/atomic.h).  Others hold the lock then, or wait for it; they must go on, and
 * a task that finds the data half changed has been told.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "processes.h"
#include "rt/internal.h"

enum {
    LONGEST_S = 60,
    LOOK_US = 50,
    MOST_STEPS = 500,
    NEVER = 1000,
    VICTIM = 20,
    COMPANY = 30,
    WITNESS = 10
};

void fw_step_(void);
void fw_look_(void);

static char name[64], doing[100];
static fw_rt_group *group;
static struct fw_rt_state *state;
static fw_rt_protocol protocol;
static int cpu;
static unsigned deaths;
static bool are_threads;

/* What all share. */
static struct {
    uint64_t a, b; /* equal, except while somebody changes them */
    bool is_there, is_let_in, is_through, is_over;
} * here;

/* The victim's own. */
static __thread bool is_counted;
static __thread unsigned steps;

static unsigned last_step;

void fw_step_(void)
{
    if (!is_counted || steps++ != last_step)
        return;
    if (are_threads)
        syscall(SYS_exit, 0);
    kill(getpid(), SIGKILL);
}

/* A look is no step. */
void fw_look_(void) {}

static bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

/* --- What a task does --- */

static fw_rt_task *begin(const char *who, int priority)
{
    struct fw_rt_task_options options = {.name = who, .cpu = cpu, .priority = priority};
    fw_rt_task *task;
    unsigned lock;
    int error = fw_rt_task_begin(&task, group, &options);

    if (error == EPERM)
        skip(fw_rt_strerror());
    if (error == 0)
        error = fw_rt_open(task, "lock", protocol, 0, &lock);
    if (error != 0 || lock != 0)
        fail("%s: %s (%s)", who, strerror(error), fw_rt_strerror());
    return task;
}

static void enter(fw_rt_task *task)
{
    int error = fw_rt_lock(task, 0);

    if (error == EOWNERDEAD)
        here->b = here->a;
    else if (error != 0)
        fail("lock: %s (%s)", strerror(error), fw_rt_strerror());
    fw_step_();
    if (here->a != here->b)
        fail("half changed, and nobody was told: %s", doing);
    here->a++;
}

static void leave(fw_rt_task *task)
{
    fw_step_();
    here->b++;
    CHECK(fw_rt_unlock(task, 0) == 0);
}

/* --- The scenarios --- */

struct scenario {
    const char *name;
    void (*peer)(fw_rt_task *);
    void (*before)(fw_rt_task *); /* the victim, not counted */
    void (*act)(fw_rt_task *);    /* the victim, counted; NULL: it begins, locks, and ends */
};

/* Its record is the dead one's no more, when all is played again. */
static const char *victim(void)
{
    return last_step == NEVER ? "survivor" : "victim";
}

/* One of that name waits, or is about to sleep. */
static bool is_waiting(const char *who)
{
    for (unsigned i = 0; i < FW_RT_TASKS; i++) {
        const struct fw_rt_task_record *c = &state->task[i];
        if (strcmp(c->name, who) == 0 && __atomic_load_n(&c->since, __ATOMIC_RELAXED) != 0)
            return true;
    }
    return false;
}

static void lock_all(fw_rt_task *task)
{
    enter(task);
    leave(task);
}

/* Until the victim waits, or is no more. */
static void hold(fw_rt_task *task)
{
    enter(task);
    set(&here->is_there);
    while (!is_waiting(victim()) && !is_set(&here->is_over))
        usleep(LOOK_US);
    usleep(LOOK_US);
    leave(task);
}

static void come_second(fw_rt_task *task)
{
    set(&here->is_there);
    while (!is_set(&here->is_let_in))
        usleep(LOOK_US);
    lock_all(task);
}

/* As a task should that has slept: the sections of its CPU go first. */
static void wake_second(fw_rt_task *task)
{
    set(&here->is_there);
    while (!is_set(&here->is_let_in))
        usleep(LOOK_US);
    CHECK(fw_rt_resumed(task) == 0);
    lock_all(task);
}

static void hold_and_let_come(fw_rt_task *task)
{
    enter(task);
    set(&here->is_let_in);
    while (!is_waiting("company"))
        usleep(LOOK_US);
    usleep(LOOK_US);
}

enum { ALONE, HELD, AWAITED, BEFORE_ALL, ALL_OF_LIFE, SCENARIOS };

static const struct scenario scenarios[SCENARIOS] = {
    [ALONE] = {"alone", NULL, NULL, lock_all},
    [HELD] = {"held", hold, NULL, lock_all},
    [AWAITED] = {"awaited", come_second, hold_and_let_come, leave},
    [BEFORE_ALL] = {"awaited by who wakes", wake_second, hold_and_let_come, leave},
    [ALL_OF_LIFE] = {"begin to end", NULL, NULL, NULL},
};

/* --- The play --- */

/* A process or a thread. */
struct player {
    void (*play)(void *);
    void *arg;
    pid_t process;
    pthread_t thread;
};

static void *play_it(void *arg)
{
    const struct player *p = arg;

    p->play(p->arg);
    return NULL;
}

static void begin_player(struct player *p, void (*what)(void *), const struct scenario *scenario)
{
    p->play = what;
    p->arg = (void *)(uintptr_t)scenario;
    if (are_threads)
        CHECK(pthread_create(&p->thread, NULL, play_it, p) == 0);
    else
        p->process = start(what, p->arg);
}

/* The victim may have been killed. */
static void end_player(struct player *p, bool may_die)
{
    int status = 0;

    if (are_threads)
        CHECK(pthread_join(p->thread, NULL) == 0);
    else
        CHECK(waitpid(p->process, &status, 0) == p->process);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        _exit(WEXITSTATUS(status));
    if (WIFSIGNALED(status) && (!may_die || WTERMSIG(status) != SIGKILL))
        fail("%s: ended with signal %d", doing, WTERMSIG(status));
}

static void be_peer(void *arg)
{
    const struct scenario *scenario = arg;
    fw_rt_task *task = begin("company", COMPANY);

    scenario->peer(task);
    CHECK(fw_rt_task_end(task) == 0);
}

static void be_victim(void *arg)
{
    const struct scenario *scenario = arg;
    fw_rt_task *task;

    if (scenario->act == NULL) {
        is_counted = true;
        task = begin(victim(), VICTIM);
        lock_all(task);
        CHECK(fw_rt_task_end(task) == 0);
    } else {
        task = begin(victim(), VICTIM);
        if (scenario->before != NULL)
            scenario->before(task);
        is_counted = true;
        scenario->act(task);
    }
    is_counted = false;
    set(&here->is_through);
}

static void be_witness(void *unused)
{
    fw_rt_task *task = begin("witness", WITNESS);

    (void)unused;
    lock_all(task);
    CHECK(fw_rt_trylock(task, 0) == 0 && fw_rt_unlock(task, 0) == 0);
    CHECK(fw_rt_task_end(task) == 0);
}

/*
 * Nothing of the dead holds others up.  (Where a waiter has died, it may still stand in the line,
 * or in a proxy, until somebody meets it there.)
 */
static void expect_order(void)
{
    const struct fw_rt_lock_record *l = &state->lock[0];
    struct player witness, holder, waiter;

    begin_player(&witness, be_witness, NULL);
    end_player(&witness, false);
    if (l->counter != 0 || (protocol == FW_RT_PIP && l->pi_word != 0))
        fail("%s: word %x, proxy %x", doing, l->counter, l->pi_word);
    memset(here, 0, sizeof *here);
    last_step = NEVER;
    begin_player(&holder, be_peer, &scenarios[HELD]);
    while (!is_set(&here->is_there))
        usleep(LOOK_US);
    begin_player(&waiter, be_victim, &scenarios[HELD]);
    end_player(&holder, false);
    end_player(&waiter, false);
}

/* Returns whether the victim got through. */
static bool run(const struct scenario *scenario, unsigned at)
{
    struct player peer, victim;
    bool is_through;

    last_step = at;
    memset(here, 0, sizeof *here);
    if (scenario->peer != NULL) {
        begin_player(&peer, be_peer, scenario);
        while (!is_set(&here->is_there))
            usleep(LOOK_US);
    }
    begin_player(&victim, be_victim, scenario);
    end_player(&victim, true);
    is_through = is_set(&here->is_through);
    set(&here->is_over);
    if (scenario->peer != NULL)
        end_player(&peer, false);
    expect_order();
    return is_through;
}

static void play(const struct scenario *scenario)
{
    unsigned at = 0;
    bool is_through = false;

    for (; !is_through; at++) {
        CHECK(at < MOST_STEPS);
        snprintf(doing, sizeof doing, "%s, %s, step %u", fw_rt_protocol_name(protocol),
                 scenario->name, at);
        limit(LONGEST_S, doing);
        snprintf(name, sizeof name, "/furwock-rt-death-%d", (int)getpid());
        CHECK(fw_rt_group_open(&group, are_threads ? NULL : name, FW_RT_TIER_A) == 0);
        if (!are_threads)
            fw_region_remove(name);
        state = group->state;
        is_through = run(scenario, at);
        if (!are_threads) /* it counts those that have died in this process */
            CHECK(fw_rt_group_close(group) == 0);
    }
    deaths += at - 1;
    printf("%s\n", doing);
}

/* Under all protocols, or that one. */
static void play_all(const char *only)
{
    for (protocol = FW_RT_PIP; protocol <= FW_RT_FMLP_DU; protocol++) {
        if (protocol == FW_RT_PCP_DU_PF ||
            (only != NULL && strcmp(only, fw_rt_protocol_name(protocol)) != 0))
            continue;
        for (unsigned i = 0; i < SCENARIOS; i++)
            play(&scenarios[i]);
    }
}

static int first_cpu(void)
{
    cpu_set_t set;
    int first = 0;

    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    while (!CPU_ISSET(first, &set))
        first++;
    return first;
}

int main(int argc, char **argv)
{
    struct sched_param director = {.sched_priority = FW_RT_BOOST_MOST};

    /*
     * And whoever it starts, until that one is a task: they do not wait for what else runs here.
     * If that is refused, tasks find it out, or it takes longer.
     */
    sched_setscheduler(0, SCHED_FIFO, &director);
    cpu = first_cpu();
    here = share(sizeof *here);
    play_all(argc > 1 ? argv[1] : NULL);
    /* Threads second: what the dead leave behind makes each fork slower. */
    are_threads = true;
    if (!is_constrained) /* a sanitizer wants to be told when a thread ends */
        play_all(argc > 1 ? argv[1] : NULL);
    printf("%u deaths\n", deaths);
    return 0;
}
