/* SPDX-License-Identifier: MIT */
#include "kill_at_step_peers.h"
#include "asleep.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_US = 50, SKIPPED = 77 };

struct kill_shared *shared;
bool kill_in_threads_;

void add_outcome(int n)
{
    __atomic_fetch_add(&shared->outcome, n, __ATOMIC_RELAXED);
}

/* --- Waiting for others ---------------------------------------------------------------------- */

void kill_await_idle_(pid_t pid)
{
    unsigned seen = 0;

    while (seen < 2) {
        seen = thread_state(pid, pid) == 'R' ? 0 : seen + 1;
        usleep(LOOK_US);
    }
}

bool kill_is_set_(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

void kill_set_(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

void peer_is_ready(void)
{
    kill_set_(&shared->is_peer_ready);
}

void await_victim_begun(void)
{
    while (__atomic_load_n(&shared->victim, __ATOMIC_ACQUIRE) == 0)
        usleep(LOOK_US);
}

void await_victim_idle(void)
{
    await_victim_begun();
    kill_await_idle_(shared->victim);
}

void await_victim_done(void)
{
    char state = 'R';

    await_victim_begun();
    /* It may have gone on before this process saw that it was stopped. */
    while ((state == 'R' || state == 'S') && !kill_is_set_(&shared->has_stopped) &&
           !kill_is_set_(&shared->is_through)) {
        usleep(LOOK_US);
        state = thread_state(shared->victim, shared->victim);
    }
}

static void await_admission_is(int value)
{
    while (__atomic_load_n(&shared->admission, __ATOMIC_ACQUIRE) != value)
        usleep(LOOK_US);
}

void admit_peer(void)
{
    __atomic_store_n(&shared->admission, 1, __ATOMIC_RELEASE);
    await_admission_is(2);
    kill_await_idle_(shared->peer);
}

void await_admission(void)
{
    shared->peer = getpid();
    peer_is_ready();
    await_admission_is(1);
    __atomic_store_n(&shared->admission, 2, __ATOMIC_RELEASE);
}

/* --- Those beside the victim ----------------------------------------------------------------- */

static void perform(void *actor)
{
    ((struct kill_actor *)actor)->body();
}

static void *perform_in_thread(void *actor)
{
    perform(actor);
    return NULL;
}

void kill_actor_start(struct kill_actor *a, void (*body)(void))
{
    a->body = body;
    if (kill_in_threads_)
        CHECK(pthread_create(&a->thread, NULL, perform_in_thread, a) == 0);
    else
        a->process = start(perform, a);
}

void kill_expect_success_(int status, const char *who)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        _exit(SKIPPED); /* it has said why */
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
        fail("%s came to harm: status %x", who, (unsigned)status);
}

void kill_actor_finish(struct kill_actor *a)
{
    int status;

    if (kill_in_threads_) {
        CHECK(pthread_join(a->thread, NULL) == 0);
        return;
    }
    CHECK(waitpid(a->process, &status, 0) == a->process);
    kill_expect_success_(status, "a process");
}

void run_and_die(void (*body)(void))
{
    struct kill_actor a = {.body = body};

    finish(start(perform, &a));
}
