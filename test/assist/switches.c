/* SPDX-License-Identifier: MIT */
/*
 * For tools/assist-cost: what a switch between threads costs, and a participant that does nothing.
 *
 *     assist_switches yield N     two threads on one CPU yield to each other, N times each
 *     assist_switches pipe N      two processes on one CPU pass a byte to and fro, N times
 *     assist_switches participant rings for the assist's page, says "ready", and sleeps until
 *                                 the end of its input
 *
 * The first two print nanoseconds for each switch.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test/assist/namespace.h"
#include "test/support/now.h"

static unsigned long turns;
static pthread_barrier_t both;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
    exit(EXIT_FAILURE);
}

/* All of it on the first CPU that this process may use. */
static void stay_on_one_cpu(void)
{
    cpu_set_t all, one;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof all, &all) != 0)
        give_up("sched_getaffinity");
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        give_up("sched_setaffinity");
}

static void *yield(void *arg)
{
    pthread_barrier_wait(&both);
    for (unsigned long i = 0; i < turns; i++)
        sched_yield();
    return arg;
}

static void yield_to_each_other(void)
{
    pthread_t other;

    pthread_barrier_init(&both, NULL, 2);
    if ((errno = pthread_create(&other, NULL, yield, NULL)) != 0)
        give_up("pthread_create");
    yield(NULL);
    pthread_join(other, NULL);
}

static void pass(int from, int to)
{
    char ball;

    for (unsigned long i = 0; i < turns; i++)
        if (read(from, &ball, 1) != 1 || write(to, &ball, 1) != 1)
            give_up("pipe");
}

static void pass_to_and_fro(void)
{
    int there[2], back[2];
    pid_t other;

    if (pipe(there) != 0 || pipe(back) != 0)
        give_up("pipe");
    other = fork();
    if (other < 0)
        give_up("fork");
    if (other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pass(there[0], back[1]);
        _exit(EXIT_SUCCESS);
    }
    if (write(there[1], "o", 1) != 1)
        give_up("pipe");
    pass(back[0], there[1]);
    waitpid(other, NULL, 0);
}

static void be_participant(void)
{
    char end;

    if (namespace_map_page() == NULL)
        give_up(FW_ASSIST_PIN);
    prctl(FW_ASSIST_RING, FW_ASSIST_VERSION, 0, 0, 0);
    puts("ready");
    fflush(stdout);
    while (read(STDIN_FILENO, &end, 1) > 0)
        ;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    void (*play)(void) = strcmp(what, "yield") == 0  ? yield_to_each_other
                         : strcmp(what, "pipe") == 0 ? pass_to_and_fro
                                                     : NULL;
    uint64_t began;

    if (argc == 2 && strcmp(what, "participant") == 0) {
        be_participant();
        return EXIT_SUCCESS;
    }
    turns = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (!play || turns == 0) {
        fprintf(stderr, "Usage: %s yield|pipe N, or participant\n", argv[0]);
        return 2;
    }
    stay_on_one_cpu();
    began = now_ns();
    play();
    printf("%.3f\n", (double)(now_ns() - began) / (2.0 * (double)turns));
    return EXIT_SUCCESS;
}
