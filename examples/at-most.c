/* SPDX-License-Identifier: MIT */
/*
 * at-most /NAME N COMMAND ...: runs the command when less than N others run, on the whole machine;
 * like flock(1), for more than one.  If it is killed, its permit is free at once: no lock file, no
 * daemon, nothing to clean up.
 *
 *     $ cc -o at-most at-most.c $(pkg-config --cflags --libs furwock)
 *     $ for i in 1 2 3 4; do ./at-most /at-most-demo 2 echo done & done; wait
 *     done
 *     done
 *     done
 *     done
 *     $ ./at-most /at-most-demo 3 true || echo "the others agreed on 2"
 *     at-most: permits: Protocol error
 *     the others agreed on 2
 *     $ rm /dev/shm/at-most-demo
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc.h>

static void must(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "at-most: %s: %s\n", what, strerror(error));
    exit(125);
}

/* Runs the command, which dies with this process; returns its exit status as the shell has it. */
static int run(char **argv)
{
    pid_t parent = getpid(), child = fork();
    int status;

    must(child < 0 ? errno : 0, "fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            execvp(argv[0], argv);
        fprintf(stderr, "at-most: %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        must(errno == EINTR ? 0 : errno, "wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    fw_ipc_permits *permits;
    fw_region *region;
    uint32_t permit;
    int error, status;

    if (argc < 4 || atoi(argv[2]) <= 0) {
        fprintf(stderr, "usage: at-most /NAME N COMMAND [ARGUMENT ...]\n");
        return 125;
    }
    must(fw_region_open(argv[1], FW_REGION_MIN_SIZE, FW_REGION_CREATE | 0600, &region), argv[1]);
    must(fw_region_permits(region, "permits", (uint32_t)atoi(argv[2]), FW_REGION_CREATE, &permits),
         "permits");
    error = fw_ipc_permits_take(permits, &permit, NULL, NULL);
    must(error == EOWNERDEAD ? 0 : error, "permits"); /* there is nothing to repair */
    status = run(argv + 3);
    must(fw_ipc_permits_give(permits, permit), "permits");
    return status;
}
