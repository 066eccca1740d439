/* SPDX-License-Identifier: MIT */
/*
 * src/sys/robust.h, origin.h and wait_any.h under the model: a thread has one word in its list at
 * most, and its head is the thread's own.  Nobody but the kernel looks at it, and only when the
 * thread is dead, so changes of it are no steps; but a thread may be killed before and after each.
 */
#include "robust.h"

#include <stddef.h>

#include "../engine/model.h"
#include "../engine/thread.h"
#include "sys/fork.h"
#include "sys/origin.h"
#include "sys/robust_list.h"
#include "sys/wait_any.h"

__thread struct fw_robust_thread_ fw_robust_thread_;
static __thread struct fw_robust_head_ head;

/* Nothing of it changes. */
static const uint64_t life[] = {1, [FW_LIFE_EPOCH_] = 1};
const uint64_t *fw_life_now_ = life;

uint64_t fw_life_(void)
{
    return life[0];
}

_Bool subject_is_one_process;

static void may_die(void)
{
    if (model_shared.budget.kills > 0)
        model_op(OP_NOTE, NULL, 0, 0, 0, 0, 0);
}

void fw_robust_register_(void)
{
    fw_robust_thread_ = (struct fw_robust_thread_){
        .life = life[0], .head = &head, .id = SUBJECT_FIRST_TID + model_current};
}

bool fw_robust_link_(uint32_t *word)
{
    may_die();
    if (model_program->tasks != NULL) /* the real-time locks' lists have two words: there is none */
        return false;
    if (head.first != 0)
        model_thread_fail("robust list", "thread %llu enters a second word", model_current, 0);
    head.first = (uintptr_t)word;
    may_die();
    return !model_program->unmarked;
}

bool fw_robust_unlink_(uint32_t *word)
{
    if (head.first != (uintptr_t)word)
        model_thread_fail("robust list", "thread %llu takes out what is not in it", model_current,
                          0);
    head.first = 0;
    may_die();
    return true;
}

bool fw_robust_unlink_from_(uint32_t *word, const struct fw_robust_rule_ *rule)
{
    (void)rule;
    return fw_robust_unlink_(word);
}

bool fw_robust_enter_(uint32_t *word, uint32_t tag)
{
    (void)tag;
    return fw_robust_link_(word);
}

void fw_robust_leave_(uint32_t *word)
{
    may_die();
    fw_robust_unlink_(word);
}

bool fw_robust_is_here_(uint32_t id)
{
    return subject_is_one_process && model_threads[id - SUBJECT_FIRST_TID].status != THREAD_DONE;
}

/* The kernel has marked what there is to mark before anybody can see that the thread is gone. */
bool fw_robust_is_gone_(uint32_t id)
{
    unsigned thread = id - SUBJECT_FIRST_TID;

    return (model_shared.killed >> thread & 1) != 0 && model_threads[thread].status == THREAD_DONE;
}

bool fw_robust_is_gone_since_(uint32_t id, uint64_t since)
{
    (void)since; /* ids are not used again */
    return fw_robust_is_gone_(id);
}

void subject_robust_words(unsigned thread, uint64_t *listed, uint64_t *pending)
{
    const struct fw_robust_head_ *its = thread_own(thread, &head);

    *listed = its->first;
    *pending = its->pending & ~FW_ROBUST_INHERITS;
}

bool subject_is_announcement(const void *at)
{
    return at == (const void *)&head.pending;
}

void subject_robust_begin(uint32_t *word)
{
    fw_robust_register_();
    head.first = (uintptr_t)word;
}

bool fw_can_wait_any_(void)
{
    return !model_program->old_kernel;
}

uint64_t fw_pid_namespace_(void)
{
    return 1;
}

uint64_t fw_boot_(void)
{
    return 1;
}

uint32_t fw_process_id_(void)
{
    return SUBJECT_FIRST_PROCESS + (subject_is_one_process ? 0 : model_current);
}

uint64_t fw_start_now_(void)
{
    return 1;
}

uint64_t fw_robust_namespace_(void)
{
    return 1;
}

bool fw_thread_about_(uint32_t thread, struct fw_thread_about_ *about)
{
    *about = (struct fw_thread_about_){.is_dead = fw_robust_is_gone_(thread), .started = thread};
    return true;
}

bool fw_is_another_start_(uint64_t a, uint64_t b)
{
    return a != 0 && b != 0 && a != b;
}
