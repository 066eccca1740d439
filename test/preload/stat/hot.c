/* SPDX-License-Identifier: MIT */
/*
 * A program with locks that are known to be waited for, for furwock run --stat: which function
 * takes hot_lock and keeps it, and which one waits.
 *
 *     hot                 some rounds, and exit status 3
 *     hot fork            in a child, too
 *     hot hang            until it is killed: one thread waits for what another has for ever
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 40, KEEP_US = 500 };

pthread_mutex_t hot_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t cold_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t turn;

static void sleep_us(long us)
{
    struct timespec time = {0, us * 1000};

    nanosleep(&time, NULL);
}

__attribute__((noinline)) static void keeps_it(void)
{
    pthread_mutex_lock(&hot_lock);
    pthread_barrier_wait(&turn);
    sleep_us(KEEP_US);
    pthread_mutex_unlock(&hot_lock);
}

__attribute__((noinline)) static void waits_for_it(void)
{
    pthread_barrier_wait(&turn);
    pthread_mutex_lock(&hot_lock);
    pthread_mutex_unlock(&hot_lock);
}

static void *waiter(void *unused)
{
    pthread_setname_np(pthread_self(), "the waiter");
    for (unsigned i = 0; i < ROUNDS; i++) {
        waits_for_it();
        pthread_mutex_lock(&cold_lock);
        pthread_mutex_unlock(&cold_lock);
        pthread_barrier_wait(&turn);
    }
    return unused;
}

static void play(void)
{
    pthread_t thread;

    if (pthread_barrier_init(&turn, NULL, 2) != 0 ||
        pthread_create(&thread, NULL, waiter, NULL) != 0)
        abort();
    for (unsigned i = 0; i < ROUNDS; i++) {
        keeps_it();
        pthread_barrier_wait(&turn);
    }
    pthread_join(thread, NULL);
}

static void *hangs(void *unused)
{
    pthread_mutex_lock(&hot_lock);
    return unused;
}

static void hang(void)
{
    pthread_t thread;

    pthread_mutex_lock(&hot_lock);
    if (pthread_create(&thread, NULL, hangs, NULL) != 0)
        abort();
    sleep_us(50000);
    write(STDOUT_FILENO, "hangs\n", 6);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    bool forks = argc > 1 && strcmp(argv[1], "fork") == 0;
    pid_t child = -1;

    if (argc > 1 && strcmp(argv[1], "hang") == 0)
        hang();
    play();
    if (forks && (child = fork()) == 0)
        play();
    if (child > 0)
        waitpid(child, NULL, 0);
    return 3;
}
