// SPDX-License-Identifier: MIT
// Two threads that take turns, and signal while they hold the mutex, as most programs do: the wake
// may be put off until the release, and must then be made by it.  Whoever signalled last leaves.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 300, SECONDS = 600, PAUSE_US = 100 };

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn;

static void *play(void *number)
{
    int me = (int)(size_t)number;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        while (turn != me)
            pthread_cond_wait(&cond, &mutex);
        usleep(PAUSE_US); /* the other has fallen asleep */
        turn = !me;
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    static const int TYPES[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
    alarm(SECONDS);
    for (size_t k = 0; k < sizeof TYPES / sizeof *TYPES; k++) {
        pthread_t threads[2];
        pthread_mutexattr_t attr;
        if (pthread_mutexattr_init(&attr) || pthread_mutexattr_settype(&attr, TYPES[k]) ||
            pthread_mutex_init(&mutex, &attr))
            return 1;
        for (size_t i = 0; i < 2; i++)
            if (pthread_create(&threads[i], NULL, play, (void *)i))
                return 1;
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        if (pthread_mutex_destroy(&mutex) || turn != 0) {
            fprintf(stderr, "turns: type %d: mutex or turn is wrong at the end\n", TYPES[k]);
            return 1;
        }
    }
    return 0;
}
