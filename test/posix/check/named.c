/* SPDX-License-Identifier: MIT */
/*
 * A program that gives names to its locks (furwock/name.h), and unlocks what it does not hold: the
 * first of them itself, the second in a forked child, and the third, whose name it has taken away.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/name.h>

enum { LOCKS = 3 };

int main(void)
{
    pthread_mutex_t *m = calloc(LOCKS, sizeof *m);
    static const char *const names[LOCKS] = {"first cache", "second cache", "third cache"};

    if (m == NULL)
        return EXIT_FAILURE;
    for (int i = 0; i < LOCKS; i++)
        if (pthread_mutex_init(&m[i], NULL) != 0 || fw_name(&m[i], names[i]) != 0)
            return EXIT_FAILURE;
    fw_name(&m[2], NULL);
    pthread_mutex_unlock(&m[0]);
    if (fork() == 0) {
        pthread_mutex_unlock(&m[1]);
        _exit(EXIT_SUCCESS);
    }
    wait(NULL);
    pthread_mutex_unlock(&m[2]);
    return EXIT_SUCCESS;
}
