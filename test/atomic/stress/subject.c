/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure/workers.h"

const struct libatomics *subject;
unsigned char subject_ramp[VALUES + LARGEST];

static enum { SHIPPED, SYSTEM, BROKEN, SOUND } kind;
static uint64_t n_caught;

/* How often the timer of a thread goes off: so often that most operations on large objects of a
   busy machine are hit now and then, so seldom that threads get on. */
#define SIGNAL_NS 50000

bool subject_has(const char *word)
{
    size_t n = strlen(word);

    for (const char *p = stress.mode; p != NULL; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, word, n) == 0 && (p[n] == ',' || p[n] == '\0'))
            return true;
    }
    return false;
}

/* Names the library, unless it is one of `words`. */
static void open_one(const char *word, const char *const *words)
{
    static const char *const ours[] = {"pinned", "signals", NULL};
    const char *why = "no such word";

    for (const char *const *lists[] = {ours, words}, *const **l = lists; l < lists + 2; l++)
        for (const char *const *w = *l; w != NULL && *w != NULL; w++)
            if (strcmp(word, *w) == 0)
                return;
    subject = broken_open(word);
    if (subject != NULL) {
        kind = strcmp(word, "sound") == 0 ? SOUND : BROKEN;
        return;
    }
    if (strcmp(word, "furwock") != 0 && strcmp(word, "libatomic") != 0) {
        fprintf(stderr, "%s: %s\n", word, why);
        exit(2);
    }
    kind = strcmp(word, "libatomic") == 0 ? SYSTEM : SHIPPED;
    subject = libatomics_open(word, &why);
    if (subject == NULL) {
        printf("skipped: %s\n", why);
        exit(77);
    }
}

void subject_begin(int argc, char **argv, const char *const *words)
{
    char *copy, *rest = NULL;

    stress.mode = "furwock";
    stress_begin(argc, argv);
    copy = strdup(stress.mode);
    for (char *w = strtok_r(copy, ",", &rest); w != NULL; w = strtok_r(NULL, ",", &rest))
        open_one(w, words);
    free(copy);
    if (subject == NULL)
        open_one("furwock", NULL);
    for (size_t i = 0; i < sizeof subject_ramp; i++)
        subject_ramp[i] = (unsigned char)i;
}

int tag_of(const void *bytes, size_t n)
{
    unsigned v = *(const unsigned char *)bytes;

    return memcmp(bytes, tag(v), n) == 0 ? (int)v : -1;
}

void subject_caught(const char *format, ...)
{
    va_list args;

    if (__atomic_fetch_add(&n_caught, 1, __ATOMIC_RELAXED) > 0)
        return; /* the first says it all */
    printf("%s: ", subject->name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
    if (kind == SHIPPED || kind == SOUND)
        abort();
}

bool subject_is_over(void)
{
    return stress_is_over() || (kind == BROKEN && __atomic_load_n(&n_caught, __ATOMIC_RELAXED) > 0);
}

void subject_must_be_caught(void)
{
    kind = BROKEN;
}

int subject_end(void)
{
    if (kind == BROKEN && n_caught == 0) {
        printf("%s is broken, and was not caught\n", subject->name);
        if (cpus_usable() > 1 && !subject_has("relaxed"))
            return EXIT_FAILURE;
        printf("skipped: it shows only where two threads run at the same moment\n");
        return 77;
    }
    if (kind == SYSTEM)
        printf("%s: %llu caught\n", subject->path, (unsigned long long)n_caught);
    return stress_end();
}

/* --- Signals -------------------------------------------------------------------------------- */

/* Now and then it sleeps, and leaves the others with an operation that does not go on. */
static void interrupted(int signal)
{
    static _Thread_local unsigned n;
    int saved_errno = errno;

    (void)signal;
    if (++n % 8 == 0)
        sleep_us(30);
    errno = saved_errno;
}

static void start_timer(void)
{
    struct itimerspec often = {{0, SIGNAL_NS}, {0, SIGNAL_NS}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    struct sigaction action = {.sa_handler = interrupted, .sa_flags = SA_RESTART};
    timer_t timer; /* ends with the process: a signal to a thread that is gone is dropped */

    sigaction(SIGUSR1, &action, NULL);
    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &often, NULL) != 0)
        stress_fail("no timer for the signals", NULL);
}

void subject_thread(const struct worker *me)
{
    if (subject_has("pinned"))
        cpu_pin(me->index);
    if (subject_has("signals"))
        start_timer();
}
