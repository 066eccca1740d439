/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/robust.h"
#include "test/support/child.h"
#include "test/support/unit.h"

/*
 * src/sys/robust.c: words in the robust list for as long as a thread lives, among the C library's
 * own robust mutexes.
 */

enum { WORDS = 4, MUTEXES = 4 };

/* In memory that outlives a child. */
static struct shared {
    struct {
        uint32_t word;
        char space[FW_ROBUST_ROOM_ + 20];
    } held[WORDS];
    pthread_mutex_t mutexes[MUTEXES];
} * s;

static void make(void)
{
    pthread_mutexattr_t robust;

    s = share(sizeof *s);
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setpshared(&robust, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < MUTEXES; i++)
        pthread_mutex_init(&s->mutexes[i], &robust);
}

static uint32_t self(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

/* Holds the word, and says so to the kernel. */
static void hold(int i)
{
    s->held[i].word = self();
    if (!fw_robust_link_(&s->held[i].word))
        _exit(77); /* no robust lists: an emulator */
}

static void let_go(int i)
{
    if (!fw_robust_unlink_(&s->held[i].word))
        _exit(2);
    s->held[i].word = 0;
}

static void do_and_die(void *body)
{
    (*(void (*const *)(void))body)();
    kill(getpid(), SIGKILL);
}

/* Runs it in a child, which is killed at its end. */
static void die_after(void (*body)(void))
{
    int status;

    make();
    status = wait_for_child(start(do_and_die, &body));
    if (status == 77)
        skip();
    assert_int_equal(status, -SIGKILL);
}

static void check_words(const char *died)
{
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(s->held[i].word, died[i] == 'x' ? FW_ROBUST_DIED : 0);
}

static void check_mutexes(const char *died)
{
    for (int i = 0; i < MUTEXES; i++)
        assert_int_equal(pthread_mutex_trylock(&s->mutexes[i]), died[i] == 'x' ? EOWNERDEAD : 0);
}

static void hold_all(void)
{
    for (int i = 0; i < WORDS; i++)
        hold(i);
}

/* Newest first is the list's order: the first, the last, one in the middle are taken out. */
static void take_some_out(void)
{
    hold_all();
    let_go(3);
    let_go(0);
    let_go(1);
    hold(1);
    let_go(2);
}

static void mix_with_mutexes(void)
{
    pthread_mutex_lock(&s->mutexes[0]);
    hold(0);
    pthread_mutex_lock(&s->mutexes[1]);
    hold(1);
    pthread_mutex_lock(&s->mutexes[2]);
    hold(2);
    pthread_mutex_unlock(&s->mutexes[1]); /* between two words */
    let_go(1);                            /* between two mutexes */
    pthread_mutex_lock(&s->mutexes[3]);
    pthread_mutex_unlock(&s->mutexes[0]); /* the last */
    hold(3);
    let_go(0); /* the last */
    pthread_mutex_unlock(&s->mutexes[3]);
    pthread_mutex_lock(&s->mutexes[3]);
}

/* Somebody has written over what lies in shared memory: whatever leads there stays as it is. */
static void scribble_and_let_go(void)
{
    pthread_mutex_lock(&s->mutexes[2]); /* behind all words */
    hold_all();
    for (uintptr_t *p = (uintptr_t *)(void *)&s->held[2].word + 2, *end = p + 3; p < end; p++)
        *p = 0x10; /* points nowhere */
    for (int i = 1; i <= 3; i++)
        if (fw_robust_unlink_(&s->held[i].word))
            _exit(3);
    pthread_mutex_lock(&s->mutexes[0]);
    pthread_mutex_unlock(&s->mutexes[0]);
    pthread_mutex_lock(&s->mutexes[1]);
    pthread_mutex_unlock(&s->mutexes[2]);
}

TEST(garbage_in_the_list_is_not_followed)
{
    die_after(scribble_and_let_go);
    assert_int_equal(s->held[3].word, FW_ROBUST_DIED); /* before the garbage */
    assert_int_equal(s->held[2].word, FW_ROBUST_DIED);
    check_mutexes(".x..");
}

static void let_go_twice(void)
{
    hold_all();
    let_go(1);
    if (fw_robust_unlink_(&s->held[1].word))
        _exit(3);
}

/* The C library takes a mutex out by what stands before it, where a word has been. */
static void leave_nothing(void)
{
    struct fw_robust_head_ *head;
    size_t size;

    pthread_mutex_lock(&s->mutexes[0]);
    hold(0);
    let_go(0);
    pthread_mutex_unlock(&s->mutexes[0]);
    if (syscall(SYS_get_robust_list, 0, &head, &size) != 0 || head->first != (uintptr_t)head)
        _exit(4);
}

static const struct {
    void (*body)(void);
    const char *words, *mutexes; /* x: marked */
} deaths[] = {
    {hold_all, "xxxx", "...."},         {take_some_out, ".x..", "...."},
    {mix_with_mutexes, "..xx", "..xx"}, {let_go_twice, "x.xx", "...."},
    {leave_nothing, "....", "...."},
};

TEST(the_kernel_marks_what_was_held)
{
    for (unsigned i = 0; i < sizeof deaths / sizeof *deaths; i++) {
        die_after(deaths[i].body);
        check_words(deaths[i].words);
        check_mutexes(deaths[i].mutexes);
        munmap(s, sizeof *s);
    }
}

UNIT_MAIN(NULL, NULL)
