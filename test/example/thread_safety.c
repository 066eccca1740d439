/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <furwock/mutex.h>
#include <furwock/thread_safety.h>

#include <stdio.h>
#include <stdlib.h>

int deposit(long amount);

#include "thread_safety_example.h"

/* A deposit, and one while the account is locked. */
int main(void)
{
    int first = deposit(100), second;

    fw_mutex_lock(&lock);
    second = deposit(1);
    printf("balance: %ld\n", balance);
    first |= balance != 100;
    fw_mutex_unlock(&lock);
    return first == 0 && second == EBUSY ? EXIT_SUCCESS : EXIT_FAILURE;
}
