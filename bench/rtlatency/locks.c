/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "measure/clock.h"
#include "rtlatency.h"

#define HEAD(the_name, the_about, the_family) \
    .head = {.name = the_name,                \
             .about = the_about,              \
             .family = the_family,            \
             .flags = ADAPTER_BLOCKS,         \
             .size = 1,                       \
             .align = 1}

/* The figures of Table 1; MPCP and FMLP+ are what it calls MPCP-NEW and FMLP+-NEW. */
const struct variant variants[] = {
    {HEAD("PRIO_INHERIT", "pthread_mutex, PTHREAD_PRIO_INHERIT", FAMILY_RIVAL),
     .native = PTHREAD_PRIO_INHERIT, .one_cpu = true, .many_cpus = true, .compared = "PCP",
     .paper = {{263, 464, 7707}, {301, 495, 7786}, {4955, 6392, 13252}, {3764, 6784, 15772}}},
    {HEAD("PRIO_PROTECT", "pthread_mutex, PTHREAD_PRIO_PROTECT", FAMILY_RIVAL),
     .native = PTHREAD_PRIO_PROTECT, .one_cpu = true, .many_cpus = true, .compared = "PCP",
     .paper = {{1604, 2236, 33271}, {1221, 2001, 9027}}},
    {HEAD("PIP", "furwock-rt, priority inheritance", FAMILY_FURWOCK), .protocol = FW_RT_PIP,
     .one_cpu = true, .compared = "PCP"},
    {HEAD("IPCP", "furwock-rt, immediate priority ceiling", FAMILY_FURWOCK), .protocol = FW_RT_IPCP,
     .one_cpu = true, .compared = "PCP"},
    {HEAD("PCP", "furwock-rt, priority ceiling; asks the kernel", FAMILY_FURWOCK),
     .protocol = FW_RT_PCP, .one_cpu = true,
     .paper = {{645, 1313, 3850}, {1211, 1927, 6655}, {1967, 2803, 7953}, {4109, 5867, 14919}}},
    {HEAD("PCP-DU-BOOL", "furwock-rt, the same with deferred updates", FAMILY_FURWOCK),
     .protocol = FW_RT_PCP_DU, .one_cpu = true, .baseline = "PCP", .compared = "PCP",
     .paper_schedule = 700,
     .paper = {{171, 453, 1974}, {92, 204, 1653}, {2673, 3818, 10880}, {4868, 6889, 15787}}},
    {HEAD("PCP-DU-PF", "furwock-rt, the same by page faults", FAMILY_FURWOCK),
     .protocol = FW_RT_PCP_DU_PF, .one_cpu = true, .baseline = "PCP", .compared = "PCP",
     .paper_schedule = 700,
     .paper = {{160, 661, 2384}, {87, 197, 1770}, {4625, 6317, 14820}, {5148, 7213, 15985}}},
    {HEAD("MPCP", "furwock-rt, boosting by ceilings; asks the kernel", FAMILY_FURWOCK),
     .protocol = FW_RT_MPCP, .many_cpus = true,
     .paper = {{1091, 1992, 6506}, {1149, 1709, 6158}, {1216, 2201, 6281}, {4280, 7784, 21657}}},
    {HEAD("MPCP-DU", "furwock-rt, the same with deferred updates", FAMILY_FURWOCK),
     .protocol = FW_RT_MPCP_DU, .many_cpus = true, .baseline = "MPCP", .compared = "MPCP",
     .paper_schedule = 650,
     .paper = {{214, 591, 2477}, {177, 285, 1920}, {1097, 2120, 5392}, {2657, 7184, 18258}}},
    {HEAD("FMLP+", "furwock-rt, boosting by age; asks the kernel", FAMILY_FURWOCK),
     .protocol = FW_RT_FMLP, .many_cpus = true,
     .paper = {{1041, 1921, 7906}, {1117, 1597, 5292}, {1096, 2080, 6026}, {4166, 7680, 22451}}},
    {HEAD("FMLP+-DU", "furwock-rt, the same with deferred updates", FAMILY_FURWOCK),
     .protocol = FW_RT_FMLP_DU, .many_cpus = true, .baseline = "FMLP+", .compared = "FMLP+",
     .paper_schedule = 400,
     .paper = {{215, 653, 2625}, {174, 279, 1875}, {1059, 2064, 5570}, {2335, 6524, 17991}}},
    /* What these baselines need not do: only where they are named. */
    {HEAD("PCP+PI", "PCP, and a futex that inherits is locked and unlocked", FAMILY_FURWOCK),
     .protocol = FW_RT_PCP, .one_cpu = true, .compared = "PCP", .extra = CALL_PI},
    {HEAD("MPCP+YIELD", "MPCP, and the CPU is yielded", FAMILY_FURWOCK), .protocol = FW_RT_MPCP,
     .many_cpus = true, .compared = "MPCP", .extra = CALL_YIELD},
    {HEAD("FMLP++YIELD", "FMLP+, and the CPU is yielded", FAMILY_FURWOCK), .protocol = FW_RT_FMLP,
     .many_cpus = true, .compared = "FMLP+", .extra = CALL_YIELD},
};
const size_t n_variants = sizeof variants / sizeof *variants;

const struct variant *variant_of(const struct bench_entry *e)
{
    return (const struct variant *)e->lock;
}

static bool has_ceiling(fw_rt_protocol protocol)
{
    return protocol >= FW_RT_IPCP && protocol <= FW_RT_PCP_DU_PF;
}

int fixture_open(struct fixture *s, const struct variant *v, fw_rt_tier tier, const char **why)
{
    pthread_mutexattr_t kind;
    int error;

    *s = (struct fixture){.variant = v};
    if (v->protocol != 0) {
        error = fw_rt_group_open(&s->group, NULL, tier);
        *why = fw_rt_strerror();
        return error;
    }
    error = pthread_mutexattr_init(&kind);
    if (error == 0)
        error = pthread_mutexattr_setprotocol(&kind, v->native);
    if (error == 0 && v->native == PTHREAD_PRIO_PROTECT)
        error = pthread_mutexattr_setprioceiling(&kind, CEILING);
    if (error == 0)
        error = pthread_mutex_init(&s->mutex, &kind);
    pthread_mutexattr_destroy(&kind);
    *why = error != 0 ? strerror(error) : "";
    return error;
}

void fixture_close(struct fixture *s)
{
    if (s->variant->protocol == 0)
        pthread_mutex_destroy(&s->mutex);
    else
        fw_rt_group_close(s->group);
}

static int become_real_time(unsigned cpu, int priority)
{
    const struct sched_param p = {.sched_priority = priority};
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0 || sched_setscheduler(0, SCHED_FIFO, &p) != 0)
        return errno;
    return 0;
}

int actor_begin(struct actor *a, struct fixture *s, unsigned cpu, int priority, uint64_t period_ns)
{
    const struct fw_rt_task_options options = {
        .cpu = (int)cpu, .priority = priority, .period_ns = period_ns};
    fw_rt_protocol protocol = s->variant->protocol;
    int error;

    *a = (struct actor){.fixture = s, .period_ns = period_ns, .next_ns = clock_ns() + period_ns};
    if (protocol == 0)
        return become_real_time(cpu, priority);
    error = fw_rt_task_begin(&a->task, s->group, &options);
    if (error != 0)
        return error;
    error = fw_rt_open(a->task, "r", protocol, has_ceiling(protocol) ? CEILING : 0, &a->lock);
    if (error != 0)
        fw_rt_task_end(a->task);
    return error;
}

void actor_end(struct actor *a)
{
    if (a->task != NULL)
        fw_rt_task_end(a->task);
}

void actor_next_period(struct actor *a)
{
    uint64_t now;

    if (a->task != NULL) {
        fw_rt_wait_period(a->task, NULL);
        return;
    }
    now = clock_ns();
    while (a->next_ns <= now)
        a->next_ns += a->period_ns;
    clock_sleep_until(a->next_ns);
    a->next_ns += a->period_ns;
}

/* In a thread of its own, which then is gone. */
struct attempt {
    const struct variant *variant; /* NULL: only to be a real-time thread */
    fw_rt_tier tier;
    int error;
    char why[160];
};

static void *attempt(void *arg)
{
    struct attempt *t = arg;
    struct fixture s;
    struct actor a;
    const char *why;

    if (t->variant == NULL) {
        t->error = become_real_time(cpu_number(0), PRIORITY);
        return NULL;
    }
    t->error = fixture_open(&s, t->variant, t->tier, &why);
    if (t->error == 0) {
        t->error = actor_begin(&a, &s, cpu_number(0), PRIORITY, 0);
        why = fw_rt_strerror();
        if (t->error == 0)
            actor_end(&a);
        fixture_close(&s);
    }
    if (t->error != 0)
        snprintf(t->why, sizeof t->why, "%s", *why != '\0' ? why : strerror(t->error));
    return NULL;
}

static int try_it(struct attempt *t)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, attempt, t);

    if (error != 0)
        return error;
    pthread_join(thread, NULL);
    return t->error;
}

int variant_try(const struct variant *v, fw_rt_tier tier, char *why, size_t size)
{
    struct attempt t = {.variant = v, .tier = tier};
    int error = try_it(&t);

    snprintf(why, size, "%s", t.why);
    return error;
}

int real_time_allowed(void)
{
    struct attempt t = {.variant = NULL};

    return try_it(&t);
}

unsigned cpu_number(unsigned i)
{
    cpu_set_t usable;

    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        return 0;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &usable) && i-- == 0)
            return cpu;
    return 0;
}
