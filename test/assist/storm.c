/* SPDX-License-Identifier: MIT */
/*
 * Runs a program while the assist is started and stopped under it: in order, by kill -9 of who
 * starts or stops it, and by taking its file system or its pins away.  The program has to end well.
 *
 *     assist_storm [OPTION...] PROGRAM [ARGUMENT...]
 *
 *     --steady       start it once, and stop it at the end: the program has to become a
 *                    participant, if need be when it is run again
 *     --twins        two of the program, each in a pid namespace of its own: same thread ids
 *     --reuse        the same, and thread ids are used again and again
 *     --unprivileged the program runs as nobody, who is in the group of the page's readers
 *     --preload LIB  with LIB preloaded
 *     --seed N       other random numbers
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "processes.h"

enum { READERS = 54321, NOBODY = 65534, HANG_S = 270, MOST_LIFE_US = 20000, MOST_GAP_US = 5000 };
enum { NOBODY_ROUNDS = 20000 };  /* of a millisecond */
enum { RUNS = 100, STARTS = 6 }; /* at most, of a program; at least, of the assist in a storm */

static struct {
    bool is_steady, are_twins, reuse_ids, is_unprivileged;
    char *preload;
    uint64_t seed;
    char **program;
} asked = {.seed = 1};

static struct {
    unsigned starts, kills, removals, most_participants;
} seen;

/* --- The program ------------------------------------------------------------------------------ */

static void become_nobody(void)
{
    gid_t groups[] = {READERS};

    CHECK(setgroups(1, groups) == 0);
    CHECK(setgid(NOBODY) == 0);
    CHECK(setuid(NOBODY) == 0);
}

/* The program may lie in a directory that nobody may enter. */
static _Noreturn void become_program(int file)
{
    if (asked.is_unprivileged)
        become_nobody();
    if (asked.preload) { /* by its name: a path in LD_PRELOAD cannot have a blank */
        char *slash = strrchr(asked.preload, '/');
        setenv("LD_PRELOAD", slash + 1, 1);
        *slash = '\0';
        setenv("LD_LIBRARY_PATH", asked.preload, 1);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execveat(file, "", asked.program, environ, AT_EMPTY_PATH);
    fail("%s: %s", asked.program[0], strerror(errno));
}

static int status_of(pid_t pid)
{
    int end = wait_for_child(pid);

    if (end < 0)
        fail("%s ended with signal %d", asked.program[0], -end);
    return end;
}

/* The next thread of this pid namespace has one of its lowest free ids. */
static void begin_ids_anew(void)
{
    int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        skip("/proc/sys/kernel/ns_last_pid cannot be written");
    CHECK(write(fd, "2", 1) == 1);
    close(fd);
}

/* The first process of a pid namespace, with a /proc that fits. */
static void be_first(void *file)
{
    siginfo_t ended = {.si_pid = 0};
    pid_t pid;

    CHECK(unshare(CLONE_NEWNS) == 0);
    CHECK(mount("proc", "/proc", "proc", 0, NULL) == 0);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        become_program(*(int *)file);
    while (asked.reuse_ids && ended.si_pid == 0) {
        begin_ids_anew();
        usleep(1000);
        CHECK(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0);
    }
    _exit(status_of(pid));
}

static void be_twin(void *file)
{
    CHECK(unshare(CLONE_NEWPID) == 0);
    _exit(status_of(start(be_first, file)));
}

static void be_single(void *file)
{
    become_program(*(int *)file);
}

/* --- The assist ------------------------------------------------------------------------------- */

static void look(void)
{
    const struct fw_assist_page *page = namespace_map_page();
    unsigned participants;

    if (!page)
        return;
    participants = __atomic_load_n(&page->participants, __ATOMIC_RELAXED);
    if (participants > seen.most_participants)
        seen.most_participants = participants;
    munmap((void *)page, sizeof *page);
}

/*
 * Whether a participant has been switched to; participants that come and go between two looks show
 * it.  A program whose threads never found each other in the way has not rung, and is run again.
 */
static bool were_there_participants(void)
{
    const struct fw_assist_page *page = namespace_map_page();
    uint64_t switches = 0;

    if (!page)
        fail("the page has gone");
    for (unsigned i = 0; i < FW_ASSIST_CPUS; i++)
        switches += __atomic_load_n(&page->cpus[i].switches, __ATOMIC_RELAXED);
    munmap((void *)page, sizeof *page);
    return seen.most_participants != 0 || switches != 0;
}

/* One run of the assist, from start to end. */
static void live_and_die(uint64_t *random)
{
    unsigned soon = (unsigned)(draw(random) % MOST_GAP_US);

    seen.starts += fixture_start();
    if (draw(random) % 4 == 0)
        CHECK(!fixture_start());
    for (uint64_t n = draw(random) % 8; n > 0; n--) {
        usleep((useconds_t)(draw(random) % (MOST_LIFE_US / 4)));
        fixture_hide_page(soon / 8);
    }
    usleep((useconds_t)(draw(random) % MOST_LIFE_US));
    look();
    switch (draw(random) % 8) {
    case 0:
        fixture_unmount();
        seen.removals++;
        break;
    case 1:
        fixture_unpin_page();
        seen.removals++;
        break;
    case 2:
        fixture_unpin_all();
        seen.removals++;
        break;
    case 3:
        fixture_kill_a_stop(soon);
        seen.kills++;
        break;
    default:
        break;
    }
    usleep(soon);
    fixture_stop();
    if (draw(random) % 4 == 0) {
        fixture_kill_a_start((unsigned)(draw(random) % (4 * MOST_GAP_US)));
        seen.kills++;
    }
    usleep(soon);
}

/* All participants have ended: in the end nothing is told of anybody. */
static void await_nobody(void)
{
    const struct fw_assist_page *page = namespace_map_page();
    unsigned entries = 1, rounds = 0;

    if (!page)
        fail("the page has gone");
    while (__atomic_load_n(&page->participants, __ATOMIC_RELAXED) != 0 || entries != 0) {
        entries = 0;
        for (unsigned i = 0; i < FW_ASSIST_ENTRIES; i++)
            entries += __atomic_load_n(&page->threads[i], __ATOMIC_RELAXED) != 0;
        if (rounds++ == NOBODY_ROUNDS)
            fail("%u participants and %u entries are left", (unsigned)page->participants, entries);
        usleep(1000);
    }
    munmap((void *)page, sizeof *page);
}

/* Is a program still at work?  Ends this one if another has ended badly. */
static bool is_at_work(pid_t *programs, unsigned n)
{
    bool is = false;

    for (unsigned i = 0; i < n; i++) {
        int status;

        if (programs[i] == 0)
            continue;
        if (waitpid(programs[i], &status, WNOHANG) == 0) {
            is = true;
            continue;
        }
        programs[i] = 0;
        if (status == 0)
            continue;
        fixture_stop();
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            _exit(77);
        fail("%s ended with wait status %x", asked.program[0], (unsigned)status);
    }
    return is;
}

static void weather(pid_t *programs, unsigned n)
{
    uint64_t random = asked.seed * UINT64_C(0x9e3779b97f4a7c15);

    while (is_at_work(programs, n)) {
        if (asked.is_steady) {
            look();
            usleep(5000);
        } else {
            live_and_die(&random);
        }
    }
}

/* --- What is asked for ------------------------------------------------------------------------ */

static void read_options(int argc, char **argv)
{
    static const struct option options[] = {{"steady", no_argument, NULL, 's'},
                                            {"twins", no_argument, NULL, 't'},
                                            {"reuse", no_argument, NULL, 'i'},
                                            {"unprivileged", no_argument, NULL, 'u'},
                                            {"preload", required_argument, NULL, 'p'},
                                            {"seed", required_argument, NULL, 'r'},
                                            {NULL, 0, NULL, 0}};
    int c;

    while ((c = getopt_long(argc, argv, "+", options, NULL)) >= 0) {
        asked.is_steady |= c == 's';
        asked.are_twins |= c == 't' || c == 'i';
        asked.reuse_ids |= c == 'i';
        asked.is_unprivileged |= c == 'u';
        if (c == 'p')
            asked.preload = optarg;
        if (c == 'r')
            asked.seed = strtoull(optarg, NULL, 0);
        if (c == '?')
            exit(2);
    }
    asked.program = argv + optind;
    if (optind == argc || asked.seed == 0) {
        fprintf(stderr, "Usage: %s [OPTION...] PROGRAM [ARGUMENT...]\n", argv[0]);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    unsigned n, runs = 0;
    pid_t programs[2];
    int file;

    read_options(argc, argv);
    file = open(asked.program[0], O_PATH | O_CLOEXEC);
    if (file < 0)
        fail("%s: %s", asked.program[0], strerror(errno));
    fixture_enter();
    if (asked.is_unprivileged)
        fixture_readers(READERS);
    limit(HANG_S, asked.program[0]);
    seen.starts = fixture_start();
    n = asked.are_twins ? 2 : 1;
    do {
        if (runs++ == RUNS)
            fail("the program has not become a participant");
        for (unsigned i = 0; i < n; i++)
            programs[i] = start(asked.are_twins ? be_twin : be_single, &file);
        weather(programs, n);
        if (asked.is_steady)
            await_nobody();
    } while (asked.is_steady ? !were_there_participants() : seen.starts < STARTS);
    fixture_stop();
    printf("%u runs, %u starts, %u of them or of the stops killed, %u removals by hand, "
           "%u participants at most\n",
           runs, seen.starts, seen.kills, seen.removals, seen.most_participants);
    return 0;
}
