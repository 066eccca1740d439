/* SPDX-License-Identifier: MIT */
#include "step.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "ipc/region/member.h"

/*
 * No operation has so many steps; a run that takes longer than LONGEST, in seconds, hangs.  Where
 * others sleep when a victim dies, a nap passes: only one in so many second victims dies late.
 */
enum { MOST_STEPS = 2000, LONGEST = 100, NEVER = MOST_STEPS + 1, LOOK_US = 50, LATE_ONE_IN = 8 };

/* What becomes of a victim at its step. */
enum ending { DIES, DIES_LATE, GOES_ON, SWITCHED };
static const char *const ending_names[] = {"killed", "stopped and killed", "stopped and continued",
                                           "with another one beside"};

struct meeting *here;

static fw_region *region;
static unsigned kills;
static char doing[200];

/* The victim's own. */
static bool is_counted;
static unsigned steps, last_step;
static enum ending its_ending;

void fw_step_(void)
{
    if (is_counted && steps++ == last_step)
        kill(getpid(), its_ending == DIES ? SIGKILL : SIGSTOP);
}

void fw_look_(void)
{
    if (its_ending == SWITCHED)
        fw_step_();
}

fw_region *region_of_all(void)
{
    return region;
}

void *object_new(size_t size)
{
    static unsigned n;
    char name[16];
    void *object;
    int error;

    snprintf(name, sizeof name, "%u", n++);
    error = fw_region_object(region, name, FW_REGION_DATA, size, FW_REGION_CREATE, &object);
    if (error != 0)
        fail("an object of %zu bytes: %s", size, strerror(error));
    return object;
}

void count(int n)
{
    __atomic_fetch_add(&here->outcome, n, __ATOMIC_RELAXED);
}

static void do_it(void *arg)
{
    void (*const *body)(void) = arg;

    (*body)();
}

fw_deadline in_ms(long ms)
{
    fw_deadline d = {.clock = CLOCK_MONOTONIC};

    clock_gettime(CLOCK_MONOTONIC, &d.at);
    d.at.tv_nsec += ms % 1000 * 1000000;
    d.at.tv_sec += ms / 1000 + d.at.tv_nsec / 1000000000;
    d.at.tv_nsec %= 1000000000;
    return d;
}

void one_that_dies(void (*body)(void))
{
    finish(start(do_it, &body));
}

/* 'R', 'S', 'T', 'Z' ... as /proc has it; 0: there is no such process. */
static char state_of(pid_t pid)
{
    char path[40], stat[200] = "";
    const char *end;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (read(fd, stat, sizeof stat - 1) < 0)
        stat[0] = '\0';
    close(fd);
    end = strrchr(stat, ')');
    return end != NULL && end[1] == ' ' ? end[2] : '\0';
}

static void until_it_rests(pid_t pid)
{
    unsigned seen = 0;

    while (seen < 2) {
        seen = state_of(pid) == 'R' ? 0 : seen + 1;
        usleep(LOOK_US);
    }
}

void is_multithreaded(void)
{
    __atomic_store_n(&here->is_there, 1, __ATOMIC_RELEASE);
}

void until_victim_acts(void)
{
    while (__atomic_load_n(&here->victim, __ATOMIC_ACQUIRE) == 0)
        usleep(LOOK_US);
}

void until_victim_rests(void)
{
    until_victim_acts();
    until_it_rests(here->victim);
}

void until_victim_is_done(void)
{
    char state = 'R';

    until_victim_acts();
    while ((state == 'R' || state == 'S') &&
           !__atomic_load_n(&here->is_through, __ATOMIC_ACQUIRE)) {
        usleep(LOOK_US);
        state = state_of(here->victim);
    }
}

static void until(const int *flag, int value)
{
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != value)
        usleep(LOOK_US);
}

void become_multithreaded(void)
{
    __atomic_store_n(&here->is_let_in, 1, __ATOMIC_RELEASE);
    until(&here->is_let_in, 2);
    until_it_rests(here->company);
}

void come_second(void)
{
    here->company = getpid();
    is_multithreaded();
    until(&here->is_let_in, 1);
    __atomic_store_n(&here->is_let_in, 2, __ATOMIC_RELEASE);
}

static void be_multithreaded(void *arg)
{
    const struct row *r = arg;

    r->company();
}

struct role {
    const struct row *row;
    void (*act)(void);
    enum ending ending;
    unsigned at;
};

static void be_victim(void *arg)
{
    const struct role *role = arg;

    if (role->act == role->row->act && role->row->before != NULL)
        role->row->before();
    its_ending = role->ending;
    last_step = role->at;
    __atomic_store_n(&here->victim, getpid(), __ATOMIC_RELEASE);
    is_counted = true;
    role->act();
    is_counted = false;
    __atomic_store_n(&here->is_through, true, __ATOMIC_RELEASE);
}

static void be_witness(void *arg)
{
    const struct row *r = arg;

    r->survive();
}

/* Others come while it is stopped. */
static void end_the_stopped(const struct role *role, pid_t victim)
{
    pid_t witness = 0;
    int status;

    witness = start(be_witness, (void *)(uintptr_t)role->row);
    if (role->at % 2 == 0)
        until_it_rests(witness);
    kill(victim, role->ending == GOES_ON ? SIGCONT : SIGKILL);
    CHECK(waitpid(victim, &status, 0) == victim);
    if (role->ending == GOES_ON && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
        fail("the victim came to harm: status %x (%s)", (unsigned)status, doing);
    finish(witness);
}

/* One victim; was it through before its step came? */
static bool one_victim(const struct role *role)
{
    pid_t victim;
    int status;

    here->is_through = false;
    here->victim = 0;
    victim = start(be_victim, (void *)(uintptr_t)role);
    CHECK(waitpid(victim, &status, WUNTRACED) == victim);
    if (WIFSTOPPED(status)) {
        kills += role->ending != GOES_ON;
        end_the_stopped(role, victim);
        return false;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        fail("the victim ended otherwise: status %x (%s)", (unsigned)status, doing);
    kills++;
    return false;
}

/* The same for a victim beside which another one comes. */
static bool switched_victim(const struct role *role)
{
    bool is_stopped;
    pid_t victim, beside;
    int status;

    here->is_through = false;
    here->victim = 0;
    victim = start(be_victim, (void *)(uintptr_t)role);
    until_victim_rests();
    beside = start(do_it, (void *)(uintptr_t)&role->row->repair);
    until_it_rests(beside);
    CHECK(waitpid(victim, &status, WUNTRACED) == victim);
    is_stopped = WIFSTOPPED(status);
    if (is_stopped) {
        kill(victim, SIGCONT);
        CHECK(waitpid(victim, &status, 0) == victim);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("the victim came to harm: status %x (%s)", (unsigned)status, doing);
    finish(beside);
    return !is_stopped;
}

/* All others are dead: no line of the region looks alive but the director's. */
static void expect_no_lines(void)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(fw_region_base(region));
    unsigned alive = 0;

    for (uint32_t i = 0; i < mapping->member_count; i++)
        alive += ((uint32_t)mapping->members[i].life & FW_ROBUST_OWNER) != 0;
    if (alive > 1)
        fail("%u lines of the dead look alive", alive - 1);
}

/* One run.  `first` may be followed by `second`.  Is the last victim through? */
static bool run(const struct role *first, const struct role *second)
{
    const struct row *r = first->row;
    pid_t company = 0;
    bool is_through;

    limit(LONGEST, doing);
    memset(here, 0, sizeof *here);
    r->reset();
    if (r->company != NULL) {
        company = start(be_multithreaded, (void *)(uintptr_t)r);
        until(&here->is_there, 1);
        until_it_rests(company);
    }
    is_through = first->ending == SWITCHED ? switched_victim(first) : one_victim(first);
    if (second != NULL)
        is_through = one_victim(second);
    r->survive();
    if (company != 0)
        finish(company);
    here->is_alone = true;
    r->survive();
    expect_no_lines();
    alarm(0);
    return is_through;
}

static void say_what(const struct table *t, const struct role *first, const struct role *second)
{
    int n = snprintf(doing, sizeof doing, "%s: %s, %s at step %u", t->name, first->row->name,
                     ending_names[first->ending], first->at);

    if (second != NULL)
        snprintf(doing + n, sizeof doing - (size_t)n, ", then another at step %u", second->at);
}

/* Every step.  Returns how many there are. */
static unsigned play_one(const struct table *t, const struct row *r, enum ending ending)
{
    struct role role = {.row = r, .act = r->act, .ending = ending, .at = NEVER};
    unsigned changes = 0;
    int before = 0, through;

    say_what(t, &role, NULL);
    CHECK(run(&role, NULL));
    through = here->outcome;
    for (role.at = 0;; role.at++) {
        CHECK(role.at < MOST_STEPS);
        say_what(t, &role, NULL);
        if (run(&role, NULL))
            break;
        if (ending >= GOES_ON && here->outcome != through)
            fail("%s: the outcome is %d instead of %d", doing, here->outcome, through);
        changes += role.at != 0 && here->outcome != before;
        before = here->outcome;
    }
    changes += role.at != 0 && here->outcome != before;
    if (ending == DIES && r->changes != ANY_CHANGES && changes != r->changes)
        fail("%s: %s: the outcome changed %u times, not %u", t->name, r->name, changes, r->changes);
    return role.at;
}

static void play_two(const struct table *t, const struct row *r, unsigned n)
{
    struct role first = {.row = r, .act = r->act, .ending = DIES};
    struct role second = {.row = r, .act = r->repair};

    for (first.at = 0; first.at < n; first.at++) {
        for (second.at = 0;; second.at++) {
            second.ending = (first.at + second.at) % LATE_ONE_IN == 0 ? DIES_LATE : DIES;
            CHECK(second.at < MOST_STEPS);
            say_what(t, &first, &second);
            if (run(&first, &second))
                break;
        }
    }
}

static void begin(void)
{
    enum { SIZE = 1 << 20 };
    int error = fw_region_adopt(share(SIZE), SIZE, FW_REGION_CREATE, &region);

    if (error != 0)
        fail("no region: %s", strerror(error));
    here = share(sizeof *here);
}

unsigned play(const struct table *t, const char *only)
{
    unsigned before = kills;

    if (region == NULL)
        begin();
    if (t->prepare != NULL)
        t->prepare();
    for (const struct row *r = t->rows; r->name != NULL; r++) {
        uint64_t began = now_ns();
        unsigned n;
        if (only != NULL && strcmp(only, r->name) != 0)
            continue;
        n = play_one(t, r, r->changes == BESIDE ? SWITCHED : DIES);
        for (enum ending e = DIES_LATE; e <= GOES_ON && r->changes != BESIDE; e++)
            play_one(t, r, e);
        if (r->changes != BESIDE && r->repair != NULL && r->company == NULL)
            play_two(t, r, n);
        printf("%s: %s: %u steps, %.1f s\n", t->name, r->name, n, (double)(now_ns() - began) / 1e9);
        fflush(stdout);
    }
    return kills - before;
}
