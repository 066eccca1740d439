/* SPDX-License-Identifier: MIT */
#include <furwock/await.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct deposit;
void start(struct deposit *d, fw_loop *loop);

#include "await_example.h"

/* Two threads, each with a loop, and tasks that all change one account. */

enum { THREADS = 2, DEPOSITS = 1000 };

static fw_mutex lock;
static long balance;

static bool are_finished(const struct deposit *d)
{
    for (int i = 0; i < DEPOSITS; i++)
        if (!d[i].is_finished)
            return false;
    return true;
}

static void *run(void *mine)
{
    struct deposit *d = mine;
    fw_loop *loop;

    if (fw_loop_create(&loop, NULL) != 0)
        abort();
    for (int i = 0; i < DEPOSITS; i++) {
        d[i] = (struct deposit){.lock = &lock, .balance = &balance, .amount = 1};
        if (fw_task_begin(&d[i].task) != 0)
            abort();
        start(&d[i], loop);
    }
    while (!are_finished(d)) {
        fw_loop_wait(loop, NULL);
        fw_loop_run(loop, 0);
    }
    for (int i = 0; i < DEPOSITS; i++)
        fw_task_end(d[i].task);
    if (fw_loop_destroy(loop) != 0)
        abort();
    return NULL;
}

int main(void)
{
    static struct deposit deposits[THREADS][DEPOSITS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, deposits[i]) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return balance == THREADS * DEPOSITS ? EXIT_SUCCESS : EXIT_FAILURE;
}
