/* SPDX-License-Identifier: MIT */
/*
 * Loops in several threads on the locks of one region: each task asks for the first of two of them,
 * at times with a deadline, and many are cancelled.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/ipc/await.h>
#include <furwock/ipc/region.h>

#include "tests.h"

enum { SLOTS = 8, SIZE = 1 << 20, AT = 1 << 19, DEADLINE_NS = 2000000 };
enum kind { MUTEX, READ, WRITE, KINDS };

static fw_region *region;
static fw_ipc_mutex *mutex;
static fw_ipc_rwlock *rwlock;
static int inside[KINDS];

struct slot;
struct wanted {
    fw_await op; /* first */
    struct slot *slot;
    enum kind kind;
};

struct slot {
    struct wanted wanted[2];
    fw_await_group group;
    fw_loop *loop;
    fw_task id;
    struct worker *worker;
    enum { IDLE, WAITS, HOLDS } state;
    enum kind holds;
};

static int get(enum kind kind)
{
    return __atomic_load_n(&inside[kind], __ATOMIC_SEQ_CST);
}

static void enter(enum kind kind)
{
    int before = __atomic_fetch_add(&inside[kind], 1, __ATOMIC_SEQ_CST);

    if ((kind != READ && before != 0) || (kind == READ && get(WRITE) != 0) ||
        (kind == WRITE && get(READ) != 0))
        stress_fail("two at once in a lock of a region", NULL);
}

static void leave(struct slot *s)
{
    int error;

    __atomic_fetch_sub(&inside[s->holds], 1, __ATOMIC_SEQ_CST);
    if (s->holds == MUTEX)
        error = fw_task_ipc_mutex_unlock(mutex, s->id);
    else if (s->holds == READ)
        error = fw_task_ipc_rwlock_rdunlock(rwlock, s->id);
    else
        error = fw_task_ipc_rwlock_wrunlock(rwlock, s->id);
    if (error != 0)
        stress_fail("what was granted is not held", NULL);
    s->state = IDLE;
}

/* One of the two has ended; the other never will. */
static void ended(struct wanted *w, int error)
{
    struct slot *s = w->slot;

    if (!fw_await_cancel(&s->wanted[w == s->wanted].op))
        stress_fail("two of a group are granted", NULL);
    s->state = error == 0 ? HOLDS : IDLE;
    s->holds = w->kind;
    if (error == 0)
        enter(w->kind);
    else if (error != ETIMEDOUT)
        stress_fail("an operation has ended with an error", NULL);
    did_a_turn(s->worker);
}

static void done(fw_await *op, int error)
{
    ended((struct wanted *)op, error);
}

static void give_up(struct slot *s)
{
    s->state = IDLE;
    for (unsigned i = 0; i < 2; i++)
        if (!fw_await_cancel(&s->wanted[i].op)) {
            ended(&s->wanted[i], fw_await_poll(&s->wanted[i].op));
            return;
        }
}

static int ask(struct wanted *w, const fw_deadline *d)
{
    if (w->kind == MUTEX)
        return fw_await_ipc_mutex(&w->op, mutex, d);
    return w->kind == READ ? fw_await_ipc_rdlock(&w->op, rwlock, d)
                           : fw_await_ipc_wrlock(&w->op, rwlock, d);
}

static void ask_for_both(struct worker *me, struct slot *s)
{
    fw_deadline soon = in_ns(draw(me, DEADLINE_NS));
    unsigned first = draw(me, 2);

    fw_await_group_init(&s->group);
    for (unsigned i = 0; i < 2; i++) {
        struct wanted *w = &s->wanted[i];
        fw_await_init(&w->op, s->loop, s->id, done);
        fw_await_group_add(&s->group, &w->op);
        w->slot = s;
        w->kind = i == first ? MUTEX : draw(me, 2) ? READ : WRITE;
    }
    s->state = WAITS;
    for (unsigned i = 0; i < 2; i++) {
        int error = ask(&s->wanted[i], draw(me, 2) ? &soon : NULL);
        if (error == EINPROGRESS)
            continue;
        if (error == ETIMEDOUT) /* at once: this has not ended the group */
            give_up(s);
        else if (error != ECANCELED) /* else the other is granted, and delivered soon */
            ended(&s->wanted[i], error);
        return;
    }
}

static void step(struct worker *me, struct slot *s, bool is_ending)
{
    if (s->state == IDLE && !is_ending)
        ask_for_both(me, s);
    else if (s->state == WAITS && (is_ending || draw(me, 16) == 0))
        give_up(s);
    else if (s->state == HOLDS && (is_ending || draw(me, 2)))
        leave(s);
}

static bool all_wait(const struct slot *slots)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].state != WAITS)
            return false;
    return true;
}

static void storm(struct worker *me)
{
    struct slot slots[SLOTS];
    fw_loop *loop;

    memset(slots, 0, sizeof slots);
    if (fw_loop_create(&loop, NULL) != 0)
        stress_fail("a loop cannot be made", NULL);
    for (unsigned i = 0; i < SLOTS; i++) {
        slots[i].loop = loop;
        slots[i].worker = me;
        if (fw_task_begin(&slots[i].id) != 0)
            stress_fail("a task cannot be made", NULL);
    }
    while (!stress_is_over()) {
        step(me, &slots[draw(me, SLOTS)], false);
        fw_loop_run(loop, 0);
        if (all_wait(slots)) {
            fw_deadline soon = in_ns(DEADLINE_NS / 2);
            fw_loop_wait(loop, &soon);
        }
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        while (slots[i].state != IDLE)
            step(me, &slots[i], true);
        fw_task_end(slots[i].id);
    }
    if (fw_loop_destroy(loop) != 0)
        stress_fail("something waits in a loop still", NULL);
}

static int make(void)
{
    int fd = memfd_create("await", 0);
    int error = fd < 0 ? errno : fw_region_open_fd(fd, SIZE, FW_REGION_CREATE, &region);

    if (error != 0)
        return error;
    close(fd);
    mutex = (fw_ipc_mutex *)(void *)((char *)fw_region_base(region) + AT);
    rwlock = (fw_ipc_rwlock *)(void *)((char *)fw_region_base(region) + AT + 256);
    return fw_ipc_mutex_init(mutex) | fw_ipc_rwlock_init(rwlock);
}

static void check(void)
{
    if (fw_ipc_mutex_trylock(mutex) != 0 || fw_ipc_rwlock_trywrlock(rwlock) != 0)
        stress_fail("somebody has a lock of the region still", NULL);
    fw_ipc_mutex_unlock(mutex);
    fw_ipc_rwlock_wrunlock(rwlock);
    fw_region_close(region);
}

const struct stress_test await_region_tests[] = {{.name = "await_region",
                                                  .about = "loops on the locks of a region",
                                                  .body = storm,
                                                  .turns = 20000,
                                                  .threads = 3,
                                                  .least_threads = 2,
                                                  .begin = make,
                                                  .end = check},
                                                 {.name = NULL}};
