/* SPDX-License-Identifier: MIT */
#include <furwock/mutex.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct account;
void deposit(struct account *a, long amount);

#include "mutex_example.h"

/* Two threads pay into one account. */

enum { TIMES = 100000 };

static struct account joint = {.lock = FW_MUTEX_INIT};

static void *earn(void *amount)
{
    for (int i = 0; i < TIMES; i++)
        deposit(&joint, *(const long *)amount);
    return NULL;
}

int main(void)
{
    static long three = 3, minus_one = -1;
    pthread_t other;

    if (pthread_create(&other, NULL, earn, &three) != 0)
        return EXIT_FAILURE;
    earn(&minus_one);
    pthread_join(other, NULL);
    printf("balance: %ld\n", joint.balance);
    return joint.balance == 2L * TIMES ? EXIT_SUCCESS : EXIT_FAILURE;
}
