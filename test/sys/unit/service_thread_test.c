/* SPDX-License-Identifier: MIT */
#include "sys/service_thread.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "test/support/unit.h"

struct seen {
    bool blocks_all;
    char name[16];
};

static void *look(void *arg)
{
    struct seen *seen = arg;
    sigset_t now;

    pthread_sigmask(SIG_SETMASK, NULL, &now);
    seen->blocks_all = sigismember(&now, SIGINT) == 1 && sigismember(&now, SIGRTMIN) == 1;
    return NULL;
}

TEST(takes_no_signals)
{
    struct seen seen = {0};
    sigset_t before, after;
    pthread_t thread;

    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(fw_service_thread_start_(&thread, "fw-test", look, &seen), 0);
    fw_service_thread_join_(thread);
    assert_true(seen.blocks_all);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

UNIT_MAIN(NULL, NULL)
