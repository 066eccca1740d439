/* SPDX-License-Identifier: MIT */
/*
 * Death at every instruction.  A process is led through one operation instruction by instruction
 * (ptrace) and killed after the first, the second, ... the last one.  Each time, another process
 * (this one, with another mapping) uses the object at once: it is what it was before or what it was
 * to become, never anything between; and from the instruction on that makes the difference, it is
 * the new value every time.
 *
 * The same for a process that repairs what a dead one left, and is killed over that; and for one
 * that is killed while another waits for it.
 */
#include "ground.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/atomic.h>

#define OLD UINT64_C(0x1111111111111111)
#define NEW UINT64_C(0x2222222222222222)
#define THIRD UINT64_C(0x3333333333333333)

/* No operation has so many instructions; before and after an object lie bytes that must stay. */
enum { MOST_STEPS = 50000, MARGIN = 64, MARGIN_BYTE = 0xee };

struct task {
    const char *name;
    void (*operation)(const struct task *t);
    size_t offset, n;
    unsigned stride; /* killed after so many instructions more each time */
    bool is_first;   /* of its process: it finds out about the robust list, and is longer */
    void *object;    /* where the process that is led has it */
};

static struct ground mine, theirs;
static bool *is_over; /* in memory shared with the process that is led */
static unsigned runs, kills;

/* Made before, for every instruction counts. */
static unsigned char old_value[MOST_BYTES], new_value[MOST_BYTES], out[MOST_BYTES];

static void do_load(const struct task *t)
{
    any_load(t->n, t->object, out, __ATOMIC_SEQ_CST);
}

static void do_store(const struct task *t)
{
    any_store(t->n, t->object, new_value, __ATOMIC_SEQ_CST);
}

static void do_exchange(const struct task *t)
{
    any_exchange(t->n, t->object, new_value, out, __ATOMIC_SEQ_CST);
}

static void do_compare_exchange(const struct task *t)
{
    any_compare_exchange(t->n, t->object, old_value, new_value, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* What the process that is led does: stops, and when it is led on, the operation. */
static void be_led(void *arg)
{
    const struct task *t = arg;
    pid_t self;

    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(77);
    if (!t->is_first)
        any_store(24, at(&theirs, 0), new_value, __ATOMIC_SEQ_CST);
    self = getpid();
    syscall(SYS_kill, self, SIGSTOP); /* raise would do more than that, before and after */
    t->operation(t);
    __atomic_store_n(is_over, true, __ATOMIC_RELEASE);
    for (;;)
        pause();
}

static pid_t begin(struct task *t)
{
    pid_t child;
    int status;

    t->object = at(&theirs, t->offset);
    *is_over = false;
    child = start(be_led, t);
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip("processes cannot be traced here");
    CHECK(WIFSTOPPED(status));
    return child;
}

/* That many instructions; false: the operation was over before. */
static bool lead(pid_t child, unsigned steps)
{
    int status;

    for (; steps != 0 && !__atomic_load_n(is_over, __ATOMIC_ACQUIRE); steps--) {
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0)
            skip("no single steps here");
        CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
        CHECK(WSTOPSIG(status) == SIGTRAP);
    }
    return steps == 0;
}

static void prepare(void)
{
    is_over = share(sizeof *is_over);
    stamp(old_value, sizeof old_value, OLD);
    stamp(new_value, sizeof new_value, NEW);
    mine = ground_new(1024, 64);
    theirs = ground_again(&mine);
    CHECK(fw_ipc_atomic_join(theirs.base, theirs.size) == 0);
}

static void reset(const struct task *t)
{
    char *object = at(&mine, t->offset);

    memset(object - MARGIN, MARGIN_BYTE, MARGIN);
    memset(object + t->n, MARGIN_BYTE, MARGIN);
    store_stamp(object, t->n, OLD);
}

static uint64_t mask(size_t n)
{
    return n >= 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * n) - 1;
}

/* What the survivor finds: by a load, or by an exchange, which takes the lock at once. */
static uint64_t use(const struct task *t, bool by_exchange)
{
    unsigned char *object = at(&mine, t->offset);
    uint64_t seen = by_exchange ? exchange_stamp(object, t->n, THIRD) : load_stamp(object, t->n);
    uint64_t expected = by_exchange ? THIRD & mask(t->n) : seen;

    CHECK(change_stamp(object, t->n, &expected, THIRD));
    CHECK(load_stamp(object, t->n) == (THIRD & mask(t->n)));
    for (int i = 1; i <= MARGIN; i++)
        CHECK(object[-i] == MARGIN_BYTE && object[t->n - 1 + i] == MARGIN_BYTE);
    return seen;
}

/* Kills after 0, 1, 2, ... instructions.  Answers how many it took to make the difference. */
static unsigned kill_everywhere(struct task *t)
{
    unsigned difference = 0;
    bool goes_on = true;

    for (unsigned k = 0; goes_on; k += t->stride) {
        pid_t child;
        uint64_t seen;

        CHECK(k < MOST_STEPS);
        reset(t);
        child = begin(t);
        goes_on = lead(child, k);
        kill_and_wait(child);
        seen = use(t, k / t->stride % 2 == 1);
        if (seen == (NEW & mask(t->n)) && difference == 0)
            difference = k;
        if (seen != ((difference != 0 ? NEW : OLD) & mask(t->n)))
            fail("%s of %zu bytes: killed after %u instructions, the object is %llx", t->name, t->n,
                 k, (unsigned long long)seen);
        kills++;
    }
    CHECK(difference != 0);
    runs++;
    return difference;
}

/* One dies `at_step`, in the middle of its change; another is killed everywhere in the repair. */
static void kill_repairs(struct task *t, unsigned at_step, void (*repair)(const struct task *t))
{
    struct task second = *t;
    char *left = malloc(mine.size);
    bool goes_on = true;
    pid_t child;

    CHECK(left != NULL);
    reset(t);
    child = begin(t);
    CHECK(lead(child, at_step));
    kill_and_wait(child);
    memcpy(left, mine.base, mine.size);
    second.operation = repair;
    for (unsigned k = 0; goes_on; k += t->stride) {
        CHECK(k < MOST_STEPS);
        memcpy(mine.base, left, mine.size);
        child = begin(&second);
        goes_on = lead(child, k);
        kill_and_wait(child);
        CHECK(use(t, k / t->stride % 2 == 1) == (NEW & mask(t->n)));
        kills++;
    }
    free(left);
    runs++;
}

static void wait_for_it(void *arg)
{
    const struct task *t = arg;

    exchange_stamp(at(&mine, t->offset), t->n, THIRD);
}

/* Others want the object before its user is killed: they get it. */
static void kill_while_others_wait(struct task *t)
{
    bool goes_on = true;

    for (unsigned k = 0; goes_on; k += t->stride) {
        pid_t child, waiters[2];

        CHECK(k < MOST_STEPS);
        reset(t);
        child = begin(t);
        goes_on = lead(child, k);
        waiters[0] = start(wait_for_it, t);
        waiters[1] = start(wait_for_it, t);
        usleep(k / t->stride % 3 * 500); /* until they spin; until they sleep */
        kill_and_wait(child);
        finish(waiters[0]);
        finish(waiters[1]);
        CHECK(use(t, false) == (THIRD & mask(t->n)));
        kills++;
    }
    runs++;
}

int main(int argc, char **argv)
{
    /* The first at every instruction; the rest, unless asked to, at one in `stride`. */
    static struct task tasks[] = {
        {.name = "store", .operation = do_store, .n = 24, .stride = 1},
        {.name = "first store", .operation = do_store, .n = 24, .is_first = true, .stride = 7},
        {.name = "exchange", .operation = do_exchange, .n = 40, .stride = 3},
        {.name = "compare-exchange", .operation = do_compare_exchange, .n = 32, .stride = 3},
        {.name = "store", .operation = do_store, .offset = 3, .n = 17, .stride = 7},
        {.name = "exchange", .operation = do_exchange, .offset = 15, .n = 7, .stride = 7},
    };
    bool everywhere = argc > 1 && strcmp(argv[1], "all") == 0;
    unsigned slower = is_constrained ? 31 : 1;
    unsigned difference[sizeof tasks / sizeof tasks[0]];

    limit(everywhere ? 1000 : 100, "death at every instruction");
    prepare();
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        tasks[i].offset += 128;
        tasks[i].stride = everywhere ? 1 : tasks[i].stride * slower;
        difference[i] = kill_everywhere(&tasks[i]);
    }
    tasks[0].stride = everywhere ? 1 : 3 * slower;
    kill_repairs(&tasks[0], difference[0], do_load);
    kill_repairs(&tasks[0], difference[0] + 5 * slower, do_exchange);
    tasks[0].stride = 11 * slower;
    kill_while_others_wait(&tasks[0]);
    printf("%u series, %u processes killed\n", runs, kills);
    return EXIT_SUCCESS;
}
