/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <furwock/any.h>
#include <furwock/event.h>
#include <furwock/sem.h>

/*
 * Rounds.  The first worker gives some units of A, some of B, sets a ticket, and waits until all is
 * taken, before it gives more.  Others wait for A, for B, for the ticket, or for any of these; who
 * is woken for one and takes another must not leave the first to nobody.  Nobody but those in mode
 * `timed` has a deadline: a wake that is lost is a round that does not end.  Mode `dark`: a system
 * call filter refuses futex_waitv.
 */

enum { ROLES = 4, SYS_FUTEX_WAITV_ = 449, SKIPPED = 77 };

static fw_sem a, b, taken;
static fw_event ticket = FW_EVENT_INIT_AUTO, stop = FW_EVENT_INIT;
static bool with_deadlines;

static bool refuse_waitv(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_FUTEX_WAITV_, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void give(struct worker *me)
{
    unsigned rounds = 0;

    do {
        unsigned of_a = draw(me, 3), of_b = draw(me, 3), tickets = draw(me, 2);

        fw_sem_post_n(&a, of_a);
        if (tickets != 0)
            fw_event_set(&ticket);
        for (unsigned i = 0; i < of_b; i++)
            fw_sem_post(&b);
        for (unsigned i = 0; i < of_a + of_b + tickets; i++)
            fw_sem_wait(&taken);
        if (fw_sem_value(&a) != 0 || fw_sem_value(&b) != 0 || fw_event_is_set(&ticket))
            stress_fail("more was given than was there", NULL);
        did_a_turn(me);
        if (++rounds % 64 == 0)
            sleep_us(200); /* all asleep */
    } while (!stress_is_over());
    fw_event_set(&stop);
    fw_sem_post_n(&a, stress.threads);
    fw_sem_post_n(&b, stress.threads);
}

/* The index of what was taken; 0 is the order to stop. */
static unsigned choose(struct worker *me)
{
    static const fw_any all[] = {{FW_ANY_EVENT, &stop},
                                 {FW_ANY_SEM, &a},
                                 {FW_ANY_SEM, &b},
                                 {FW_ANY_EVENT, &ticket},
                                 {FW_ANY_SEM, &b}};
    fw_deadline soon = in_ns(draw(me, 100000));
    unsigned which;

    while (fw_wait_any(all, 5, with_deadlines ? &soon : NULL, &which) != 0)
        soon = in_ns(draw(me, 100000));
    return which;
}

static unsigned wait_for_one(struct worker *me)
{
    fw_sem *mine = me->index % ROLES == 1 ? &a : &b;
    fw_deadline soon = in_ns(draw(me, 100000));

    while (fw_sem_timedwait(mine, with_deadlines ? &soon : NULL) != 0)
        soon = in_ns(draw(me, 100000));
    return !fw_event_is_set(&stop);
}

static void body(struct worker *me)
{
    if (me->index == 0) {
        give(me);
        return;
    }
    did_a_turn(me);
    while (me->index % ROLES < 3 && me->index % ROLES > 0 ? wait_for_one(me) : choose(me)) {
        fw_sem_post(&taken);
        did_a_turn(me);
    }
}

int main(int argc, char **argv)
{
    stress.about = "Threads that wait for one object beside others that wait for any";
    stress.threads = 9;
    stress.mode = "plain";
    stress_begin(argc, argv);
    with_deadlines = strcmp(stress.mode, "timed") == 0;
    if (strcmp(stress.mode, "dark") == 0 && !refuse_waitv())
        return SKIPPED;
    if (stress.threads < 5)
        stress.threads = 5;
    stress_run(stress.threads, body);
    if (a.state_ >> 32 != 0 || b.state_ >> 32 != 0 || ticket.state_ >> 32 != 0)
        stress_fail("in the end somebody is still counted", NULL);
    return stress_end();
}
