/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for locks, as the words on the command line say, until they are killed.
 *
 *   who_waits KIND SCRIPT...
 *
 * KIND is that of the mutexes: normal, recursive, errorcheck, adaptive, robust, inherit, c11, fw,
 * or region; "shared-" before it puts them into memory that processes share.  Each SCRIPT is of a
 * thread; one that begins with + is of a thread of another process (of the next one, with ++).  Its
 * words are a letter and the number of an object:
 *
 *   l lock  t lock with a time-out  u unlock  r lock for reading  w lock for writing
 *   s wait for the semaphore  c wait for the condition, with the mutex  b wait at the barrier
 *   j wait for the end of a thread  f lock a stream  o go through the once, again while inside
 *   e wait for the event  g broadcast  i run the initialiser, which does not end
 *   . wait until all threads are here  x end  k fork, and go on in the child  p pause  y spin
 *   q meet and lock mutex 0 inside of the once
 *   d lock a mutex inside of data of a region  z take this mutex and the next one, again and again
 */
#include "who_waits.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 256 << 10 /* bytes */, LONGEST_NS = 32000000 };

struct shared *all;
const char *kind_name;

static const struct kind *kind;
static unsigned thread_count;
static pthread_t threads[THREADS];
static FILE *streams[OBJECTS];
static pthread_once_t onces[OBJECTS];
static unsigned once_now;

void die(const char *what)
{
    perror(what);
    exit(1);
}

/* All threads of all processes. */
static void meet(void)
{
    struct timespec pause = {0, 1000000};

    unsigned ticket = __atomic_fetch_add(&all->arrived, 1, __ATOMIC_SEQ_CST);

    while (__atomic_load_n(&all->arrived, __ATOMIC_SEQ_CST) / thread_count ==
           ticket / thread_count) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < LONGEST_NS)
            pause.tv_nsec *= 2;
    }
}

static volatile unsigned long turns;

static void once_again(void)
{
    pthread_once(&onces[once_now], once_again);
    turns = turns + 1; /* so that the call is no jump */
}

static void once_with_mutex(void)
{
    meet();
    kind->step('l', 0);
}

__attribute__((noinline)) static void spin(void)
{
    for (;;)
        turns = turns + 1;
}

/* Takes them in one order, so that there is never a deadlock. */
static void use_two(unsigned i)
{
    kind->step('l', i);
    kind->step('l', i + 1);
    turns = turns + 1;
    kind->step('u', i);
    kind->step('u', i + 1);
}

static void step(char what, unsigned i)
{
    switch (what) {
    case 'j':
        pthread_join(threads[i], NULL);
        break;
    case 'f':
        flockfile(streams[i]);
        break;
    case 'o':
        once_now = i;
        pthread_once(&onces[i], once_again);
        break;
    case 'q':
        pthread_once(&onces[i], once_with_mutex);
        break;
    case '.':
        meet();
        break;
    case 'x':
        pthread_exit(NULL);
    case 'k':
        if (fork() != 0)
            pause();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        break;
    case 'p':
        pause();
        break;
    case 'y':
        spin();
        break;
    case 'z':
        for (;;)
            use_two(i);
    default:
        kind->step(what, i);
    }
}

/* Named after its script, as far as a name is long enough. */
static void *follow(void *arg)
{
    const char *script = arg;

    prctl(PR_SET_NAME, script);
    for (const char *word = script; *word != '\0'; word += strcspn(word, " "), word += *word == ' ')
        step(word[0], word[1] >= '0' && word[1] <= '9' ? (unsigned)(word[1] - '0') : 0);
    pause();
    return NULL;
}

static void start(char **scripts, unsigned process)
{
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    for (unsigned i = 0; scripts[i] != NULL; i++) {
        size_t of = strspn(scripts[i], "+");
        if (of == process && pthread_create(&threads[i], &small, follow, scripts[i] + of) != 0)
            die("pthread_create");
    }
}

static unsigned process_count(char **scripts)
{
    unsigned most = 0;

    for (unsigned i = 0; scripts[i] != NULL; i++)
        if (strspn(scripts[i], "+") > most)
            most = (unsigned)strspn(scripts[i], "+");
    return most + 1;
}

int main(int argc, char **argv)
{
    unsigned processes;

    if (argc < 3 || argc - 2 > THREADS)
        return 2;
    kind_name = argv[1];
    thread_count = (unsigned)argc - 2;
    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    kind = find_kind(kind_name);
    if (all == MAP_FAILED || kind == NULL)
        die("who_waits");
    for (unsigned i = 0; i < OBJECTS; i++)
        streams[i] = fopen("/dev/null", "w");
    kind->begin();
    processes = process_count(argv + 2);
    for (unsigned i = 1; i < processes; i++)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            printf("%d\n", (int)getpid());
            fflush(stdout);
            start(argv + 2, i);
            pause();
        }
    printf("%d\n", (int)getpid());
    fflush(stdout);
    start(argv + 2, 0);
    for (;;)
        pause();
}
