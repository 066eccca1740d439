/* SPDX-License-Identifier: MIT */
/*
 * Semaphores between a process that runs with the drop-in and one that runs without: a named one
 * around a counter, and two in shared memory by which a turn goes to and fro.
 *
 *     test_sem_peers       with the drop-in preloaded
 *
 * It starts itself once more without LD_PRELOAD.  Which of them makes the named semaphore changes.
 */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20000, PATIENCE_S = 600, WAIT_S = 300, SKIPPED = 77 };

struct ground {
    sem_t turn[2];
    sem_t ready;                   /* all are made by the one without */
    uint64_t inside, count, balls; /* guarded by the named semaphore, by whose turn it is */
};

static struct ground *ground;
static sem_t *named;
static char name[64];

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%d: %s: %s\n", (int)getpid(), what, strerror(errno));
    abort();
}

static bool has_drop_in(void)
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");

    check(maps != NULL, "/proc/self/maps");
    while (fgets(line, sizeof line, maps) != NULL)
        found = found || strstr(line, "libfurwock-pthread") != NULL;
    fclose(maps);
    return found;
}

static void take(sem_t *s, unsigned how)
{
    struct timespec at;

    if (how % 3 == 0 && sem_trywait(s) == 0)
        return;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += WAIT_S;
    check((how % 2 == 0 ? sem_wait(s) : sem_timedwait(s, &at)) == 0, "wait");
}

static void play(unsigned side)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        take(named, i);
        check(ground->inside++ == 0, "two at once");
        ground->count++;
        ground->inside--;
        check(sem_post(named) == 0, "post");
        take(&ground->turn[side], i);
        check(ground->balls++ % 2 == side, "out of turn");
        check(sem_post(&ground->turn[1 - side]) == 0, "post");
    }
}

static void open_ground(int fd)
{
    ground = mmap(NULL, sizeof *ground, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(ground != MAP_FAILED, "mmap");
}

/* The one without: argv is the descriptor, the name, and whether it makes the named one. */
static int other(char **argv)
{
    bool makes = strcmp(argv[3], "makes") == 0;

    check(!has_drop_in(), "it was to run without the drop-in");
    open_ground(atoi(argv[1]));
    if (makes) {
        check(sem_init(&ground->turn[0], 1, 1) == 0, "sem_init");
        check(sem_init(&ground->turn[1], 1, 0) == 0, "sem_init");
    }
    named = sem_open(argv[2], makes ? O_CREAT | O_EXCL : 0, 0600, 1);
    check(named != SEM_FAILED, "sem_open");
    if (makes)
        check(sem_post(&ground->ready) == 0, "post");
    play(1);
    return 0;
}

static void run(char *program, int fd, bool other_makes)
{
    char number[16], *argv[] = {program, number, name, other_makes ? "makes" : "opens", NULL};
    int status;
    pid_t child;

    memset(ground, 0, sizeof *ground);
    check(sem_init(&ground->ready, 1, 0) == 0, "sem_init");
    snprintf(number, sizeof number, "%d", fd);
    if (!other_makes) {
        named = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
        check(sem_init(&ground->turn[0], 1, 1) == 0, "sem_init");
        check(sem_init(&ground->turn[1], 1, 0) == 0, "sem_init");
    }
    child = fork();
    check(child >= 0, "fork");
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    if (other_makes) {
        take(&ground->ready, 1);
        named = sem_open(name, 0);
    }
    check(named != SEM_FAILED, "sem_open");
    play(0);
    check(waitpid(child, &status, 0) == child && status == 0, "the other one failed");
    check(ground->count == 2 * ROUNDS && ground->balls == 2 * ROUNDS, "rounds are missing");
    check(sem_close(named) == 0 && sem_unlink(name) == 0, "sem_unlink");
}

int main(int argc, char **argv)
{
    int fd;

    alarm(PATIENCE_S);
    if (argc == 4)
        return other(argv);
    if (!has_drop_in()) {
        puts("not preloaded: nothing to test");
        return SKIPPED;
    }
    snprintf(name, sizeof name, "/furwock-peers-%d", (int)getpid());
    fd = memfd_create("ground", 0);
    check(fd >= 0 && ftruncate(fd, sizeof *ground) == 0, "memfd_create");
    open_ground(fd);
    run(argv[0], fd, false);
    run(argv[0], fd, true);
    puts("both could");
    return 0;
}
