/* SPDX-License-Identifier: MIT */
/*
 * Tables that come and go: many processes make one at once and are killed over it; a child in
 * another pid namespace is kept out.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <furwock/ipc/atomic.h>

#include "fixture.h"
#include "measure/death.h"

enum { MAKERS = 4, N = 40, LARGEST = 16384 };

static struct mapping mapping;

/* What all of them have seen; by instructions. */
static struct {
    uint64_t made, joined;
} * seen;

static void make_or_join(void *arg)
{
    struct mapping mine = mapping_again(&mapping);
    uint64_t now = 0;
    int error;

    (void)arg;
    do
        error = fw_ipc_atomic_create(mine.base, mine.size, LARGEST);
    while (error == ETIMEDOUT); /* five seconds may pass where others have the CPUs */
    if (error == 0)
        __atomic_fetch_add(&seen->made, 1, __ATOMIC_SEQ_CST);
    else if (error == EEXIST)
        error = fw_ipc_atomic_join(mine.base, mine.size);
    if (error != 0)
        fail("neither made nor joined: error %d", error);
    while (!change_stamp(at(&mine, 0), N, &now, now + 1))
        continue;
    __atomic_fetch_add(&seen->joined, 1, __ATOMIC_SEQ_CST);
}

/* All at once, and some are killed at a random moment: at most one table, and one in the end. */
static unsigned race(uint64_t *random, bool kills)
{
    pid_t makers[MAKERS];
    unsigned killed = 0;

    mapping = mapping_open(4096, LARGEST);
    memset(seen, 0, sizeof *seen);
    for (unsigned i = 0; i < MAKERS; i++)
        makers[i] = start(make_or_join, NULL);
    if (kills)
        usleep((useconds_t)(draw(random) % 1200));
    for (unsigned i = 0; i < MAKERS; i++) {
        int end;

        if (kills && draw(random) % 4 != 0)
            kill(makers[i], SIGKILL);
        end = wait_for_child(makers[i]);
        CHECK(end == 0 || end == -SIGKILL);
        killed += end != 0;
    }
    finish(start(make_or_join, NULL));
    CHECK(seen->made <= 1 && seen->made + killed >= 1);
    CHECK(fw_ipc_atomic_join(mapping.base, mapping.size) == 0);
    CHECK(load_stamp(at(&mapping, 0), N) >= seen->joined);
    CHECK(load_stamp(at(&mapping, 0), N) <= seen->joined + killed);
    mapping_close(&mapping);
    return killed;
}

static void use_it(void *arg)
{
    (void)arg;
    store_stamp(at(&mapping, 0), N, 1);
}

/* In a child that is the first process of a new pid namespace. */
static void elsewhere(void *arg)
{
    struct death d;
    struct mapping again;

    (void)arg;
    CHECK(death_run(use_it, NULL, 20000, &d) == 0);
    if (d.signal != SIGABRT || strstr(d.text, "another pid namespace") == NULL)
        fail("another pid namespace is not noticed: %s", d.text);
    again = mapping_again(&mapping);
    CHECK(fw_ipc_atomic_join(again.base, again.size) == EXDEV);
}

static void enter_a_namespace(void *arg)
{
    (void)arg;
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
        puts("(no pid namespaces can be made here)");
        fflush(stdout);
        return;
    }
    finish(start(elsewhere, NULL));
}

int main(void)
{
    uint64_t random = (uint64_t)getpid() << 16 | 1;
    bool is_few = is_constrained || is_brief();
    unsigned killed = 0;

    limit(100, "makers");
    seen = share(sizeof *seen);
    for (unsigned i = 0; i < (is_few ? 10 : 30); i++)
        race(&random, false);
    for (unsigned i = 0; i < (is_few ? 30 : 150); i++)
        killed += race(&random, true);
    mapping = mapping_new(4096, LARGEST);
    finish(start(enter_a_namespace, NULL));
    printf("%u makers and users killed\n", killed);
    return EXIT_SUCCESS;
}
