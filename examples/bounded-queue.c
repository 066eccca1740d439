/* SPDX-License-Identifier: MIT */
/*
 * A bounded queue: producers wait while it is full, consumers while it is empty, and closing it
 * lets all of them end.  One mutex, two condition variables.
 *
 *     $ cc -o bounded-queue bounded-queue.c $(pkg-config --cflags --libs furwock)
 *     $ ./bounded-queue
 *     20000 items were made, 20000 were used, their sum is 199990000
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include <furwock.h>

enum { CAPACITY = 16, PRODUCERS = 2, CONSUMERS = 3, ITEMS = 20000 };

struct queue {
    fw_mutex lock;
    fw_cond is_not_full, is_not_empty;
    long items[CAPACITY];
    unsigned first, count;
    bool is_closed;
};

/* Returns false if the queue is closed: then the item was not taken. */
static bool put(struct queue *q, long item)
{
    bool is_open;

    fw_mutex_lock(&q->lock);
    while (q->count == CAPACITY && !q->is_closed)
        fw_cond_wait(&q->is_not_full, &q->lock);
    is_open = !q->is_closed;
    if (is_open) {
        q->items[(q->first + q->count++) % CAPACITY] = item;
        fw_cond_signal(&q->is_not_empty);
    }
    fw_mutex_unlock(&q->lock);
    return is_open;
}

/* Returns false if the queue is closed and empty: there will be no more items. */
static bool get(struct queue *q, long *item)
{
    bool has_one;

    fw_mutex_lock(&q->lock);
    while (q->count == 0 && !q->is_closed)
        fw_cond_wait(&q->is_not_empty, &q->lock);
    has_one = q->count != 0;
    if (has_one) {
        *item = q->items[q->first++ % CAPACITY];
        q->count--;
        fw_cond_signal(&q->is_not_full);
    }
    fw_mutex_unlock(&q->lock);
    return has_one;
}

static void close_queue(struct queue *q)
{
    fw_mutex_lock(&q->lock);
    q->is_closed = true;
    fw_cond_broadcast(&q->is_not_full);
    fw_cond_broadcast(&q->is_not_empty);
    fw_mutex_unlock(&q->lock);
}

/* Zeroes are free locks, conditions without waiters, and an empty queue. */
static struct queue queue;
static long made[PRODUCERS], used[CONSUMERS], sum[CONSUMERS];

static void *produce(void *arg)
{
    long *mine = arg;

    for (long i = mine - made; i < ITEMS; i += PRODUCERS)
        *mine += put(&queue, i);
    return NULL;
}

static void *consume(void *arg)
{
    long *mine = arg, item;

    while (get(&queue, &item)) {
        ++*mine;
        sum[mine - used] += item;
    }
    return NULL;
}

int main(void)
{
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    long all_made = 0, all_used = 0, total = 0;

    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], NULL, produce, &made[i]);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consume, &used[i]);
    for (int i = 0; i < PRODUCERS; i++) {
        pthread_join(producers[i], NULL);
        all_made += made[i];
    }
    close_queue(&queue);
    for (int i = 0; i < CONSUMERS; i++) {
        pthread_join(consumers[i], NULL);
        all_used += used[i];
        total += sum[i];
    }
    printf("%ld items were made, %ld were used, their sum is %ld\n", all_made, all_used, total);
    return all_made != all_used;
}
