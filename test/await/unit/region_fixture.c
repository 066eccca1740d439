/* SPDX-License-Identifier: MIT */
#include "ipc/region/agent_table.h" /* whose names the fixture's would hide */

#include "region_fixture.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "await/engine.h"
#include "test/support/child.h"
#include "test/support/deadline.h"
#include "test/support/robust_lists.h"
#include "test/support/tsan_forks.h"

enum { SIZE = 1 << 20, PATIENCE_MS = 60000 };

fw_region *region;
fw_loop *loop;
fw_ipc_mutex *m;
fw_ipc_sem *s;
volatile uint64_t *shared;
static fw_loop_engine engine;

static void done(fw_await *op, int error)
{
    struct asked *a = (struct asked *)op;

    a->ends++;
    a->error = error;
}

void ask_for(struct asked *a, fw_task task)
{
    memset(a, 0, sizeof *a);
    fw_await_init(&a->op, loop, task, done);
}

int ask_for_mutex(struct asked *a, unsigned task)
{
    ask_for(a, TASK(task));
    return fw_await_ipc_mutex(&a->op, m, NULL);
}

static bool is_set(void *word)
{
    return *(volatile uint64_t *)word != 0;
}

void await_word(volatile uint64_t *word)
{
    assert_true(await_condition(is_set, (void *)(uintptr_t)word));
}

void run_until(const unsigned *ends, unsigned n)
{
    fw_deadline patience = in_ms(PATIENCE_MS);

    while (*ends < n) {
        fw_loop_run(loop, 0);
        if (*ends < n)
            assert_int_equal(fw_loop_wait(loop, &patience), 0);
    }
}

void assert_times_out(int error, struct asked *a)
{
    if (error == EINPROGRESS) {
        run_until(&a->ends, 1);
        error = a->error;
    }
    assert_int_equal(error, ETIMEDOUT);
}

fw_loop *new_loop(void)
{
    fw_loop_options options = {.engine = engine};
    fw_loop *made;

    assert_int_equal(fw_loop_create(&made, &options), 0);
    return made;
}

void stay_until_told(void)
{
    shared[0] = 1;
    while (shared[1] == 0)
        usleep(1000);
}

void hold_mutex(void *unused)
{
    (void)unused;
    if (fw_ipc_mutex_lock(m) != 0)
        _exit(1);
    stay_until_told();
    _exit(fw_ipc_mutex_unlock(m));
}

pid_t start_holder(void (*body)(void *))
{
    pid_t child;

    shared[0] = shared[1] = 0;
    child = start(body, NULL);
    await_word(&shared[0]);
    return child;
}

static void open_region(void)
{
    int fd = memfd_create("await", 0);
    char *base;

    assert_int_equal(fw_region_open_fd(fd, SIZE, FW_REGION_CREATE, &region), 0);
    close(fd);
    base = (char *)fw_region_base(region) + SIZE - 4096;
    m = (fw_ipc_mutex *)(void *)base;
    s = (fw_ipc_sem *)(void *)(base + 256);
    shared = (volatile uint64_t *)(void *)(base + 512);
}

/* Nothing uses the agent of the region any more, so it ends with it (AGT1). */
static void close_region(void)
{
    const struct fw_agent_ *k = &fw_ipc_agents_[fw_ipc_mapping_of_(m)->index];

    assert_int_equal(fw_load32_acquire(&k->uses), 0);
    assert_int_equal(fw_region_close(region), 0);
    assert_true(fw_load64_acquire(&k->id) == 0);
}

void with_each_engine(void (*body)(void))
{
    for (engine = FW_LOOP_URING; engine <= FW_LOOP_THREAD; engine++) {
        if (fw_engine_try_((uint32_t)engine) != 0) {
            print_message("(engine %d does not work here)\n", (int)engine);
            continue;
        }
        open_region();
        loop = new_loop();
        body();
        assert_int_equal(fw_loop_destroy(loop), 0);
        close_region();
    }
}

int need_robust(void)
{
    need_robust_lists();
    return 0;
}
