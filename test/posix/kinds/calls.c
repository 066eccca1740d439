/* SPDX-License-Identifier: MIT */
/*
 * Two threads make the same calls on a mutex of ours and on one of the C library's, of every kind
 * that is not plain: all results must be the same.  A script is a row of letters, capitals for the
 * main thread:
 *
 *     t trylock              p timedlock, past deadline        u unlock
 *     b ... bad tv_nsec      e ... deadline before 1970        k consistent
 *     m clocklock (monotonic), past    w clocklock, bad clock  x the other thread ends
 *     d destroy
 *
 * Arguments: [SCRIPTS [SEED]], that many random ones on each kind.
 */
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

enum { STEPS = 24 };

static const char letters[] = "tpbemwuk";

struct other {
    const struct library *library;
    pthread_mutex_t *mutex;
    pthread_t thread;
    sem_t asked, answered;
    char letter;
    int result;
};

static int call(const struct library *l, pthread_mutex_t *m, char letter)
{
    const struct timespec past = {1, 0}, bad = {1, 1000000000}, early = {-1, 0};

    switch (letter) {
    case 't':
        return l->trylock(m);
    case 'p':
        return l->timedlock(m, &past);
    case 'b':
        return l->timedlock(m, &bad);
    case 'e':
        return l->timedlock(m, &early);
    case 'm':
        return l->clocklock(m, CLOCK_MONOTONIC, &past);
    case 'w':
        return l->clocklock(m, CLOCK_BOOTTIME, &past);
    case 'u':
        return l->unlock(m);
    case 'k':
        return l->consistent(m);
    case 'd':
        return l->destroy(m);
    default:
        fail("no such letter: %c", letter);
    }
}

static void *obey(void *arg)
{
    struct other *o = arg;

    for (;;) {
        while (sem_wait(&o->asked) != 0)
            ;
        if (o->letter == 'x')
            return NULL;
        o->result = call(o->library, o->mutex, o->letter);
        sem_post(&o->answered);
    }
}

static void other_begin(struct other *o)
{
    sem_init(&o->asked, 0, 0);
    sem_init(&o->answered, 0, 0);
    if (pthread_create(&o->thread, NULL, obey, o) != 0)
        fail("no thread");
}

static int other_does(struct other *o, char letter)
{
    o->letter = letter;
    sem_post(&o->asked);
    if (letter == 'x') {
        pthread_join(o->thread, NULL);
        return 0;
    }
    while (sem_wait(&o->answered) != 0)
        ;
    return o->result;
}

/* A mutex for ever: it may be left held, and in the list of a thread. */
struct kept {
    struct kept *before;
    pthread_mutex_t mutex;
};

static pthread_mutex_t *mutex_for_ever(void)
{
    static struct kept *last;
    struct kept *k = malloc(sizeof *k);

    if (k == NULL)
        fail("out of memory");
    k->before = last;
    last = k;
    return &k->mutex;
}

static void run(const struct library *l, const struct kind *k, const char *script, int *results)
{
    pthread_mutex_t *mutex = mutex_for_ever();
    pthread_mutexattr_t a;
    struct other o = {.library = l, .mutex = mutex};

    kind_attributes(k, &a);
    if (l->init(mutex, &a) != 0)
        fail("%s: init", l->name);
    other_begin(&o);
    for (int i = 0; script[i] != '\0'; i++) {
        char letter = (char)(script[i] | 0x20);
        results[i] = script[i] == letter ? other_does(&o, letter) : call(l, mutex, letter);
        if (script[i] == 'x')
            other_begin(&o);
    }
    other_does(&o, 'x');
}

/*
 * What the C library does not do well: its trylock keeps an irrecoverable mutex (the next unlock
 * crashes); anybody can declare a mutex consistent.  The first such call becomes a timed lock;
 * false: there is none.
 */
static bool make_saner(const struct kind *k, char *script)
{
    int results[STEPS];
    enum { NO_THREAD, MAIN, OTHER } holder = NO_THREAD;
    bool is_lost = false, is_unsound = false;

    run(&ours, k, script, results);
    for (int i = 0; script[i] != '\0'; i++) {
        char letter = (char)(script[i] | 0x20);
        bool is_main = script[i] != letter;
        if (strchr("tpbem", letter) != NULL && (results[i] == 0 || results[i] == EOWNERDEAD))
            holder = is_main ? MAIN : OTHER;
        if (letter == 'x' && holder == OTHER)
            holder = NO_THREAD;
        is_unsound |= results[i] == EOWNERDEAD;
        is_unsound &= !(letter == 'k' && results[i] == 0);
        is_lost |= is_unsound && letter == 'u' && results[i] == 0;
        if ((is_lost && letter == 't') || (letter == 'k' && holder != (is_main ? MAIN : OTHER))) {
            script[i] = is_main ? 'P' : 'p';
            return true;
        }
    }
    return false;
}

static void compare(const struct kind *k, const char *wanted)
{
    int mine[STEPS], theirs[STEPS];
    char name[KIND_NAME], script[STEPS + 1];

    strcpy(script, wanted);
    while (make_saner(k, script))
        ;
    run(&ours, k, script, mine);
    run(&libcs, k, script, theirs);
    for (int i = 0; script[i] != '\0'; i++)
        if (mine[i] != theirs[i])
            fail("%s: %s: step %d (%c): %s, the C library: %s", kind_name(k, name), script, i,
                 script[i], strerrorname_np(mine[i]), strerrorname_np(theirs[i]));
}

static void compare_random(const struct kind *k)
{
    char script[STEPS + 1];

    for (int i = 0; i < STEPS; i++) {
        script[i] = letters[rand() % (int)(sizeof letters - 1)];
        if (rand() % 2 == 0)
            script[i] ^= 0x20;
        if (rand() % 12 == 0)
            script[i] = 'x';
    }
    script[STEPS] = '\0';
    compare(k, script);
}

/* Ceilings are for threads that have a priority: where that is not permitted, they are left out. */
static bool has_priority(void)
{
    const struct sched_param lowest = {.sched_priority = 1};

    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &lowest) == 0;
}

/* The C library keeps no count of who gives back a normal mutex with a ceiling too often. */
static bool may_err(const struct kind *k)
{
    return k->protocol != PTHREAD_PRIO_PROTECT || k->type == PTHREAD_MUTEX_RECURSIVE ||
           k->type == PTHREAD_MUTEX_ERRORCHECK;
}

static void compare_all(const struct kind *k, int random_ones)
{
    static const char *const legal[] = {"TtpbemwTPBEMWUtTPpwu", "TDUD"};
    static const char *const others[] = {
        "TtUUUtTu",                    /* given back too often */
        "TDUDT",      "txTPEBMWTKUTU", /* destroyed; the owner ends */
        "txTUPpUuKP",                  /* ... and nobody repairs */
        "txTTUUTTUU", "txTxTKKUtu",    "txtxTUT", "txPuKpUtP",
    };

    for (size_t i = 0; i < sizeof legal / sizeof legal[0]; i++)
        compare(k, legal[i]);
    for (size_t i = 0; may_err(k) && i < sizeof others / sizeof others[0]; i++)
        compare(k, others[i]);
    for (int i = 0; may_err(k) && i < random_ones; i++)
        compare_random(k);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20;
    struct kind k = {-1, 0, 0, 0};

    srand(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
    while (kind_next(&k))
        if (k.protocol != PTHREAD_PRIO_PROTECT || has_priority())
            compare_all(&k, n);
    return 0;
}
