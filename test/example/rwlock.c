/* SPDX-License-Identifier: MIT */
#include <furwock/rwlock.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct price;
void quote(struct price *p, long bid, long ask);
long spread(struct price *p);

#include "rwlock_example.h"

/* One thread quotes, two look: the spread never changes. */

enum { TIMES = 100000, SPREAD = 7 };

static struct price price = {.lock = FW_RWLOCK_INIT};

static void *look(void *wrong)
{
    for (int i = 0; i < TIMES; i++)
        if (spread(&price) != SPREAD)
            ++*(long *)wrong;
    return NULL;
}

int main(void)
{
    pthread_t lookers[2];
    long wrong[2] = {0, 0};

    quote(&price, 0, SPREAD);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&lookers[i], NULL, look, &wrong[i]) != 0)
            return EXIT_FAILURE;
    for (long bid = 0; bid < TIMES; bid++)
        quote(&price, bid, bid + SPREAD);
    for (int i = 0; i < 2; i++)
        pthread_join(lookers[i], NULL);
    printf("%ld wrong spreads\n", wrong[0] + wrong[1]);
    return wrong[0] + wrong[1] == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
