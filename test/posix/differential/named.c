// SPDX-License-Identifier: MIT
// Named semaphores: names, flags, and addresses.  Contract: differ.h.
//
// Nobody waits: what a semaphore does when it is open is sem.c's.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "differ.h"

enum { NAMES = 9, OPEN = 4 };

static char names[NAMES][300];
static struct {
    sem_t *s;
    int name;
} open_ones[OPEN];

static void named_begin(void)
{
    // A process of its own, so names of its own; what is said does not name them.
    snprintf(names[0], sizeof(names[0]), "/fw-differ-%d", (int)getpid());
    snprintf(names[1], sizeof(names[1]), "fw-differ-b-%d", (int)getpid());
    snprintf(names[2], sizeof(names[2]), "//fw-differ-c-%d", (int)getpid());
    snprintf(names[3], sizeof(names[3]), "/fw-differ/%d", (int)getpid());
    strcpy(names[4], "");
    strcpy(names[5], "/");
    strcpy(names[6], "/.");
    memset(names[7], 'x', 251 + draw(3));
    names[7][snprintf(names[7], sizeof(names[7]), "/fw-differ-d-%d-", (int)getpid())] = 'x';
    strcpy(names[8], "/..");
}

static void step_open(void)
{
    static const int flags[] = {0, O_CREAT, O_CREAT | O_EXCL, O_EXCL, O_CREAT | O_RDWR, O_RDONLY};
    int which = (int)draw(OPEN), name = (int)draw(draw(3) == 0 ? NAMES : 2);
    int flag = flags[draw(6)];
    unsigned value = draw(8) == 0 ? (unsigned)SEM_VALUE_MAX + draw(2) : draw(3);
    int same = -1;
    sem_t *s;

    if (open_ones[which].s != NULL)
        return;
    errno = 0;
    s = sem_open(names[name], flag, 0600, value);
    if (s == SEM_FAILED) {
        say("open %d, flags %d, value %u: error %d\n", name, flag, value, errno);
        return;
    }
    for (int i = 0; i < OPEN; i++)
        if (open_ones[i].s == s)
            same = i;
    open_ones[which].s = s;
    open_ones[which].name = name;
    say("open %d, flags %d, value %u: same as %d\n", name, flag, value, same);
}

static void step_close(void)
{
    unsigned which = draw(OPEN);
    int e;

    if (open_ones[which].s == NULL)
        return;
    errno = 0;
    e = sem_close(open_ones[which].s);
    say("close %d = %d, %d\n", which, e, errno);
    open_ones[which].s = NULL;
}

static void step_use(void)
{
    unsigned which = draw(OPEN);
    int e, value = -7;

    if (open_ones[which].s == NULL)
        return;
    errno = 0;
    e = draw(2) == 0 ? sem_post(open_ones[which].s) : sem_trywait(open_ones[which].s);
    say("use %u = %d, %d\n", which, e, errno);
    sem_getvalue(open_ones[which].s, &value);
    say("value %d\n", value);
}

static void named_step(void)
{
    unsigned what = draw(10);
    int name, e;

    if (what < 4) {
        step_open();
    } else if (what < 6) {
        step_close();
    } else if (what < 9) {
        step_use();
    } else {
        name = (int)draw(NAMES);
        errno = 0;
        e = sem_unlink(names[name]);
        say("unlink %d = %d, %d\n", name, e, errno);
    }
}

static void named_end(void)
{
    for (int name = 0; name < NAMES; name++)
        sem_unlink(names[name]);
}

const struct family named_family = {
    .name = "named", .begin = named_begin, .step = named_step, .end = named_end};
