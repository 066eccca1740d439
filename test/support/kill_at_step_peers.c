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

/* --- Those that die -------------------------------------------------------------------------- */

static unsigned own_mortal; /* and one more; 0: the caller is none */

void kill_be_mortal_(void)
{
    CHECK(shared->mortals < sizeof shared->mortal / sizeof *shared->mortal);
    shared->mortal[shared->mortals] = getpid();
    own_mortal = ++shared->mortals;
}

static void perform_and_die(void *actor)
{
    kill_be_mortal_();
    perform(actor);
}

void run_and_die(void (*body)(void))
{
    struct kill_actor a = {.body = body};

    finish(start(perform_and_die, &a));
}

/* The system may have used the id of a process again, so it can be the caller's as well. */
void expect_dead(pid_t process)
{
    for (unsigned i = 0; i < shared->mortals; i++)
        if (i + 1 != own_mortal && shared->mortal[i] == process)
            return;
    if (process != 0)
        fail("process %d was told that %d has died, of %u: %d, %d", (int)getpid(), (int)process,
             shared->mortals, (int)shared->mortal[0], (int)shared->mortal[1]);
}
