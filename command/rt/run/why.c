/* SPDX-License-Identifier: MIT */
#include "why.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bpf/sched/loader.h"
#include "command/rt/scheduler.h"
#include "command/rt/set.h"
#include "rt/scx/inspect.h"

uint64_t rt_run_woken(const fw_rt_task *task)
{
    if (task->page == NULL)
        return 0;
    return fw_load64_relaxed(&task->group->scx->state->woke[fw_rt_scx_slot_(task)]);
}

/* --- Notes ------------------------------------------------------------------------------------ */

/* False: it is no more, or not yet whole. */
static bool read_note(const struct fw_rt_scx_state *w, uint64_t number, struct fw_rt_scx_note *note)
{
    const struct fw_rt_scx_note *at = &w->note[(number - 1) % FW_RT_SCX_NOTES];

    if (fw_load64_acquire(&at->number) != number)
        return false;
    rt_view_copy(note, at, sizeof *note);
    return fw_load64_acquire(&at->number) == number;
}

void rt_run_notes_read(struct run_notes *notes)
{
    const struct fw_rt_scx_state *w = fw_rt_scx_state_map();
    uint64_t noted, first;

    if (w == NULL)
        return;
    noted = fw_load64_acquire(&w->noted);
    first = noted > FW_RT_SCX_NOTES ? noted - FW_RT_SCX_NOTES + 1 : 1;
    if (first <= notes->seen)
        first = notes->seen + 1;
    notes->lost += first - notes->seen - 1;
    notes->note =
        realloc(notes->note, (notes->count + noted + 1 - first) * sizeof *notes->note + 1);
    if (notes->note == NULL)
        abort();
    for (uint64_t n = first; n <= noted; n++) {
        if (read_note(w, n, &notes->note[notes->count]))
            notes->count++;
        else
            notes->lost++;
    }
    notes->seen = noted;
    rt_scheduler_unmap(w);
}

void rt_run_notes_free(struct run_notes *notes)
{
    free(notes->note);
    *notes = (struct run_notes){0};
}

/* The next note from `*at` on that has to do with the job, on that CPU; NULL: there is none. */
static const struct fw_rt_scx_note *next_note(const struct run_notes *notes, size_t *at, int cpu,
                                              const struct run_above *job)
{
    while (*at < notes->count) {
        const struct fw_rt_scx_note *n = &notes->note[(*at)++];
        if (n->cpu == (uint32_t)cpu && n->from < job->end && (n->to == 0 || n->to > job->release))
            return n;
    }
    return NULL;
}

static double us(uint64_t ns)
{
    return (double)ns / 1e3;
}

static double us_after(uint64_t from, uint64_t ns)
{
    return (double)(int64_t)(ns - from) / 1e3;
}

/* --- Shown ------------------------------------------------------------------------------------ */

static void print_job(const struct run_notes *notes, const struct taskset_task *task,
                      const struct run_above *job)
{
    const struct fw_rt_scx_note *n;
    size_t at = 0, found = 0;

    printf("  %s, released at %.6f s: blocked for %.1f, lost %.1f (woken late by %.1f, held by the "
           "kernel for %.1f)\n",
           rt_set_visible(task->name), (double)job->release / 1e9, us(job->blocking), us(job->lost),
           us(job->late), us(job->held));
    for (; (n = next_note(notes, &at, task->cpu, job)) != NULL; found++)
        printf("    %s: %.1f, from %.1f after the release\n", rt_scheduler_cause(n->cause),
               n->to == 0 ? 0 : us(n->to - n->from), us_after(job->release, n->from));
    if (found == 0)
        printf("    the scheduler has noted nothing about CPU %d meanwhile\n", task->cpu);
}

void rt_run_why_print(const struct run_notes *notes, const struct taskset *set,
                      const struct run_result *result)
{
    uint64_t late = 0, held = 0, most = 0;

    for (int t = 0; t < set->tasks; t++) {
        for (uint64_t i = 0; i < result[t].above && i < RUN_ABOVE_KEPT; i++)
            print_job(notes, &set->task[t], &result[t].kept[i]);
        late = result[t].late > late ? result[t].late : late;
        held = result[t].held > held ? result[t].held : held;
        most += result[t].above;
    }
    if (late != 0 || held != 0)
        printf("  lost: woken late by %.1f at most, held by the kernel for %.1f\n", us(late),
               us(held));
    if (most != 0 && notes->lost != 0)
        printf("  %" PRIu64 " of the scheduler's notes were overwritten\n", notes->lost);
}

json_t *rt_run_why_json(const struct run_notes *notes, const struct taskset_task *task,
                        const struct run_result *result)
{
    json_t *jobs = json_array();

    for (uint64_t i = 0; i < result->above && i < RUN_ABOVE_KEPT; i++) {
        const struct run_above *job = &result->kept[i];
        const struct fw_rt_scx_note *n;
        json_t *causes = json_array();
        size_t at = 0;
        while ((n = next_note(notes, &at, task->cpu, job)) != NULL)
            json_array_append_new(
                causes, json_pack("{s:s s:f s:o}", "cause", rt_scheduler_cause(n->cause), "from_us",
                                  us_after(job->release, n->from), "us",
                                  n->to == 0 ? json_null() : json_real(us(n->to - n->from))));
        json_array_append_new(jobs, json_pack("{s:I s:o s:o s:o s:o s:o}", "released_ns",
                                              (json_int_t)job->release, "blocked_us",
                                              rt_set_us(job->blocking), "lost_us",
                                              rt_set_us(job->lost), "late_us", rt_set_us(job->late),
                                              "held_us", rt_set_us(job->held), "noted", causes));
    }
    return jobs;
}
