/* SPDX-License-Identifier: MIT */
/*
 * The first and only program of a virtual machine (tools/vm): mounts what tests need, says what the
 * kernel has, runs each line of /tests ("SECONDS NAME PROGRAM [ARGUMENT ...]"), says how each ended
 * ("vm: NAME: ended 0, 12 s"), and turns the machine off.  Under the names true and sleep it does
 * what programs of these names do, where the machine's own are for another processor.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* FUTEX_ROBUST_UNLOCK, a flag of FUTEX_WAKE since Linux 7.2, is unknown to the headers here. */
#ifdef __aarch64__
enum { CALL_FUTEX = 98 };
#else
enum { CALL_FUTEX = 202 };
#endif
enum { WAKE_PRIVATE = 1 | 128, ROBUST_UNLOCK = 512 };

/* PR_RSEQ_SLICE_EXTENSION and _GET of Linux 7.0, unknown here as well. */
enum { SLICE_EXTENSION = 79, SLICE_GET = 1 };

enum { MOST_WORDS = 20, LINE = 500, LOOK_US = 20000 };

static void mount_at(const char *type, const char *where, const char *options)
{
    mkdir(where, 0755);
    if (mount(type, where, type, 0, options) != 0)
        printf("vm: no %s: %s\n", where, strerror(errno));
}

/* A kernel without the flag does not know the operation; one that has it returns something else. */
static const char *robust_unlock(void)
{
    static uint32_t word;

    if (syscall(CALL_FUTEX, &word, WAKE_PRIVATE | ROBUST_UNLOCK, 1, NULL, NULL, 0) >= 0)
        return "yes";
    return errno == ENOSYS ? "no" : "yes";
}

/* Where they are not configured, the call fails. */
static const char *slice_extensions(void)
{
    return prctl(SLICE_EXTENSION, SLICE_GET, 0, 0, 0) >= 0 ? "yes" : "no";
}

static time_t seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* Ends all that it has left, too: they are of its session. */
static void run(time_t most, const char *name, char **words)
{
    time_t began = seconds();
    int status = 0;
    pid_t child, ended;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        setsid();
        execv(words[0], words);
        _exit(127);
    }
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && seconds() - began < most)
        usleep(LOOK_US);
    if (ended == 0)
        printf("vm: %s: hangs\n", name);
    else if (WIFEXITED(status))
        printf("vm: %s: ended %d, %d s\n", name, WEXITSTATUS(status), (int)(seconds() - began));
    else
        printf("vm: %s: signal %d\n", name, WTERMSIG(status));
    kill(-1, SIGKILL); /* this one is not of them */
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}

static void run_line(char *line)
{
    char *words[MOST_WORDS + 1] = {NULL};
    unsigned n = 0;

    for (char *word = strtok(line, " \n"); word != NULL && n < MOST_WORDS;
         word = strtok(NULL, " \n"))
        words[n++] = word;
    if (n >= 3)
        run(atoi(words[0]), words[1], &words[2]);
}

int main(int argc, char **argv)
{
    static char line[LINE];
    struct utsname system;
    FILE *tests;

    if (strcmp(argv[0], "true") == 0)
        return EXIT_SUCCESS;
    if (strcmp(argv[0], "sleep") == 0 && argc == 2)
        return (int)sleep((unsigned)atoi(argv[1]));
    setvbuf(stdout, NULL, _IOLBF, 0);
    mount_at("devtmpfs", "/dev", NULL);
    mount_at("proc", "/proc", NULL);
    mount_at("sysfs", "/sys", NULL);
    mount_at("tmpfs", "/dev/shm", "mode=1777");
    mount_at("tmpfs", "/tmp", "mode=1777");
    mount_at("tmpfs", "/run", NULL);
    setenv("PATH", "/usr/bin:/bin", 1);
    setenv("LD_LIBRARY_PATH", "/lib", 1);
    setenv("TESTS_IN_FULL", "yes", 1);
    uname(&system);
    printf("vm: kernel: %s\nvm: FUTEX_ROBUST_UNLOCK: %s\nvm: time slice extensions: %s\n",
           system.release, robust_unlock(), slice_extensions());
    tests = fopen("/tests", "re");
    while (tests != NULL && fgets(line, sizeof line, tests) != NULL)
        run_line(line);
    printf("vm: done\n");
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF);
    return EXIT_FAILURE;
}
