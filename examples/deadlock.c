/* SPDX-License-Identifier: MIT */
/*
 * A program that hangs: two threads move money between two accounts, in opposite directions, and
 * each waits for the lock that the other one has.  look.sh finds that out.  The locks are the C
 * library's; nothing here knows of furwock.
 */
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 50};
static struct account current = {PTHREAD_MUTEX_INITIALIZER, 50};
static pthread_barrier_t both;

static void move(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_barrier_wait(&both); /* what happens once a month now happens at once */
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *there(void *arg)
{
    move(&savings, &current, 10);
    return arg;
}

static void *back(void *arg)
{
    move(&current, &savings, 10);
    return arg;
}

int main(void)
{
    pthread_t first, second;

    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&first, NULL, there, NULL);
    pthread_create(&second, NULL, back, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
