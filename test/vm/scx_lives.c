/* SPDX-License-Identifier: MIT */
/*
 * What befalls the library's tasks under tier B's scheduler, in a virtual machine: they sleep in
 * their sections; the scheduler is ended and started again while they live; the kernel's watchdog
 * throws it out.  Nobody is in a section beside another one, and all go on.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bpf/sched/loader.h"
#include "library.h"
#include "scx.h"

#define GROUP "/furwock-test-lives"
enum { URGENT = 30, USUAL = 20, PROTOCOLS = 8, ROUNDS = 200, STARVED_S = 100 };

static const fw_rt_protocol protocols[PROTOCOLS] = {FW_RT_IPCP,    FW_RT_PCP,      FW_RT_PCP_DU,
                                                    FW_RT_MPCP,    FW_RT_MPCP_DU,  FW_RT_FMLP,
                                                    FW_RT_FMLP_DU, FW_RT_PCP_DU_PF};

/* A thread that is a task with one lock. */
struct liveness {
    fw_rt_group *group;
    int cpu, priority;
    fw_rt_protocol protocol;
    void (*what)(fw_rt_task *task, unsigned lock);
    pthread_t thread;
    unsigned opened; /* its lock's number and one; 0: not yet */
};

static uint32_t inside[FW_RT_LOCKS], sections[FW_RT_LOCKS], stop;

static void *live(void *argument)
{
    struct liveness *l = argument;
    struct fw_rt_task_options options = {.cpu = l->cpu, .priority = l->priority};
    fw_rt_task *task;
    unsigned lock;

    CHECK_ZERO(fw_rt_task_begin(&task, l->group, &options));
    CHECK_ZERO(fw_rt_open(task, fw_rt_protocol_name(l->protocol), l->protocol, 0, &lock));
    __atomic_store_n(&l->opened, lock + 1, __ATOMIC_RELEASE);
    l->what(task, lock);
    CHECK_ZERO(fw_rt_task_end(task));
    return NULL;
}

static void begin(struct liveness *l)
{
    CHECK_ZERO(pthread_create(&l->thread, NULL, live, l));
}

static void end(struct liveness *l)
{
    CHECK_ZERO(pthread_join(l->thread, NULL));
}

static void enter(fw_rt_task *task, unsigned lock)
{
    CHECK_ZERO(fw_rt_lock(task, lock));
    scx_check(__atomic_add_fetch(&inside[lock], 1, __ATOMIC_SEQ_CST) == 1, "two in a section");
}

static void leave(fw_rt_task *task, unsigned lock)
{
    __atomic_sub_fetch(&inside[lock], 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&sections[lock], 1, __ATOMIC_SEQ_CST);
    CHECK_ZERO(fw_rt_unlock(task, lock));
}

/* ---- A sleep in a section: the lock stays, and who is less urgent may run meanwhile ---- */

static void sleeps_inside(fw_rt_task *task, unsigned lock)
{
    enter(task, lock);
    scx_say('(');
    while (!scx_has_said('w'))
        scx_sleep_ms(1);
    scx_sleep_ms(20);
    scx_say(')');
    leave(task, lock);
}

static void comes_meanwhile(fw_rt_task *task, unsigned lock)
{
    while (!scx_has_said('('))
        scx_sleep_ms(1);
    scx_say('w');
    enter(task, lock);
    scx_say('g');
    leave(task, lock);
}

static void sleep_in_sections(fw_rt_protocol protocol, int priority)
{
    bool is_queue = is_of_any_cpu(protocol);
    fw_rt_group *group;

    scx_forget();
    CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_B));
    struct liveness owner = {group, 0, USUAL, protocol, sleeps_inside, 0, 0},
                    other = {group, is_queue, priority, protocol, comes_meanwhile, 0, 0};
    begin(&owner);
    begin(&other);
    end(&owner);
    end(&other);
    scx_check(strcmp(scx_said(), "(w)g") == 0, "%s", fw_rt_protocol_name(protocol));
    CHECK_ZERO(fw_rt_group_close(group));
}

/* ---- Another scheduler, while tasks of the first one live ---- */

static void works_on(fw_rt_task *task, unsigned lock)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        enter(task, lock);
        leave(task, lock);
        scx_sleep_ms(1);
    }
}

static void works_a_while(fw_rt_task *task, unsigned lock)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        enter(task, lock);
        leave(task, lock);
    }
}

static void go_on_for_a_while(const struct liveness *one)
{
    const uint32_t *count;
    uint32_t before;

    SCX_UNTIL(__atomic_load_n(&one->opened, __ATOMIC_ACQUIRE) != 0);
    count = &sections[one->opened - 1];
    before = __atomic_load_n(count, __ATOMIC_SEQ_CST);
    SCX_UNTIL(__atomic_load_n(count, __ATOMIC_SEQ_CST) > before + 20);
}

static void work_alone(const char *name, fw_rt_protocol protocol)
{
    fw_rt_group *group;
    struct liveness only;

    CHECK_ZERO(fw_rt_group_open(&group, name, FW_RT_TIER_B));
    only = (struct liveness){group, 1, USUAL, protocol, works_a_while, 0, 0};
    begin(&only);
    end(&only);
    CHECK_ZERO(fw_rt_group_close(group));
}

static void start_another(fw_rt_protocol protocol)
{
    fw_rt_group *group, *refused;
    int error;

    stop = 0;
    CHECK_ZERO(fw_rt_group_open(&group, GROUP, FW_RT_TIER_B));
    struct liveness old[2] = {{group, 0, USUAL, protocol, works_on, 0, 0},
                              {group, is_of_any_cpu(protocol), URGENT, protocol, works_on, 0, 0}};
    begin(&old[0]);
    begin(&old[1]);
    go_on_for_a_while(&old[0]);
    scx_stop();
    go_on_for_a_while(&old[0]);
    scx_start();
    go_on_for_a_while(&old[0]);
    error = fw_rt_group_open(&refused, GROUP, FW_RT_TIER_B);
    scx_check(error == EPROTO, "a group with tasks of the first one: %s", strerror(error));
    scx_check(strstr(fw_rt_strerror(), "another scheduler") != NULL, "why: %s", fw_rt_strerror());
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    end(&old[0]);
    end(&old[1]);
    CHECK_ZERO(fw_rt_group_close(group));
    work_alone(GROUP, protocol);
}

/* PCP-DU-PF, the last of them, is not everywhere. */
static unsigned protocols_here(void)
{
    return scx_state()->permits != 0 ? PROTOCOLS : PROTOCOLS - 1;
}

/* ---- The watchdog: a ready task is kept from its CPU for as long as the kernel bears it ---- */

static void takes_all(fw_rt_task *task, unsigned lock)
{
    time_t until = time(NULL) + STARVED_S;

    enter(task, lock);
    scx_say('(');
    while (scx_state()->state.alive && time(NULL) < until)
        continue;
    scx_say(')');
    leave(task, lock);
    works_a_while(task, lock);
}

static void is_starved(fw_rt_task *task, unsigned lock)
{
    scx_say('r');
    while (!scx_has_said('(')) /* it is ready all the time */
        continue;
    enter(task, lock);
    scx_say('g');
    leave(task, lock);
    works_a_while(task, lock);
}

static void works_now_and_then(fw_rt_task *task, unsigned lock)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        enter(task, lock);
        scx_burn_ms(1);
        leave(task, lock);
        scx_sleep_ms(40);
    }
}

/* Two for each of the other protocols are at work on the other CPU when the watchdog comes. */
static unsigned begin_others(struct liveness *others, fw_rt_group *group)
{
    unsigned n = 0;

    stop = 0;
    for (unsigned i = 0; i < protocols_here(); i++)
        for (unsigned k = 0; k < 2 && protocols[i] != FW_RT_PCP_DU; k++) {
            others[n] = (struct liveness){
                group, 0, k == 0 ? USUAL : URGENT, protocols[i], works_now_and_then, 0, 0};
            begin(&others[n++]);
        }
    return n;
}

static void end_others(struct liveness *others, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        go_on_for_a_while(&others[i]);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < n; i++)
        end(&others[i]);
}

static void watchdog(void)
{
    struct liveness others[2 * PROTOCOLS];
    fw_rt_group *group, *none;
    unsigned n;
    int error;

    scx_forget();
    CHECK_ZERO(fw_rt_group_open(&group, NULL, FW_RT_TIER_B));
    n = begin_others(others, group);
    struct liveness hog = {group, 1, URGENT, FW_RT_PCP_DU, takes_all, 0, 0},
                    starved = {group, 1, USUAL, FW_RT_PCP_DU, is_starved, 0, 0};
    begin(&starved);
    while (!scx_has_said('r'))
        scx_sleep_ms(1);
    begin(&hog);
    end(&hog);
    end(&starved);
    scx_check(!scx_state()->state.alive, "the watchdog has not come in %d s", (int)STARVED_S);
    printf("the watchdog's words: %s, %s\n", (const char *)scx_state()->reason,
           (const char *)scx_state()->details);
    scx_check(strstr((const char *)scx_state()->reason, "stall") != NULL, "that is no stall");
    scx_check(strcmp(scx_said(), "r()g") == 0, "the owner's end first");
    end_others(others, n);
    error = fw_rt_group_open(&none, GROUP, FW_RT_TIER_B);
    scx_check(error == ENOTSUP, "a group without a scheduler: %s", strerror(error));
    scx_check(strstr(fw_rt_strerror(), "has ended") != NULL, "why: %s", fw_rt_strerror());
    CHECK_ZERO(fw_rt_group_close(group));
}

int main(void)
{
    char text[300];
    unsigned n;

    scx_need_vm();
    alarm(280);
    scx_start();
    n = protocols_here();
    for (unsigned i = 0; i < n; i++) {
        sleep_in_sections(protocols[i], URGENT);
        sleep_in_sections(protocols[i], USUAL - 10);
    }
    for (unsigned i = 0; i < n; i++)
        start_another(protocols[i]);
    watchdog();
    scx_check(fw_rt_scx_stop(text, sizeof text) == FW_BPF_DONE, "stop: %s", text);
    return EXIT_SUCCESS;
}
