/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <errno.h>
#include <furwock/rt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "rt.h"
#include "scheduler.h"
#include "show.h"

static const struct argp command_line = {
    .options = command_target_options,
    .parser = command_parse_target,
    .args_doc = "[GROUP]",
    .doc =
        "Show the tasks and locks of a group, and which task delays which; or, without a group, "
        "those of the scheduler of tier B, of all users.\v"
        "GROUP is the name that was given to fw_rt_group_open: /name, as for shm_open, or a file "
        "with another / in its path.  It may be in use; read permission is enough, and nothing "
        "is changed.  Shown are the tasks with their priorities, those that they inherit, their "
        "late jobs, the locks they hold, what they wait for and for how long, and which task "
        "delays them; and the locks with their protocols and ceilings.  Tasks that have died are "
        "shown until their slot is reused.\n\n"
        "Values that contradict each other were read at different moments: run it again.\n\n"
        "Exit status: 0; 1 if there is no such group, or it cannot be read; 2 for a usage "
        "error.  Without a group: 3 if the scheduler does not run, 4 if that cannot be "
        "determined.",
};

static void show(const struct rt_view *v, const struct region *r, bool as_json)
{
    struct printer p = print_begin(as_json, "furwock-rt-1");
    const char *tier = v->state.tier == FW_RT_TIER_A ? "A" : "B";

    print_member(&p, "group", json_string(r->name));
    print_member(&p, "tier", json_string(tier));
    print_words(&p, "%s: tier %s, %u task%s, %u lock%s\n", r->name, tier, v->tasks,
                print_plural(v->tasks), v->locks, print_plural(v->locks));
    rt_show(&p, v);
    print_end(&p);
}

static int show_group(const struct command_target *o)
{
    static struct rt_view view;
    struct region r;
    const char *why;

    if (region_look(o->name, &r, &why) != 0 || !r.is_whole)
        command_die(COMMAND_FAILED, "%s: %s", o->name, why);
    if (why != NULL)
        command_warn("%s: %s", o->name, why);
    why = rt_view_region(&view, &r);
    if (region_trouble(&r) != NULL)
        why = region_trouble(&r);
    if (why != NULL)
        command_die(COMMAND_FAILED, "%s: %s", o->name, why);
    if (view.state.tier == FW_RT_TIER_B)
        rt_scheduler_view(&view, view.state.group);
    show(&view, &r, o->as_json);
    region_drop(&r);
    return EXIT_SUCCESS;
}

static int run(int argc, char **argv)
{
    struct command_target o = {.kind = "group"};
    int status;

    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    status = o.name != NULL ? show_group(&o) : rt_scheduler_show(o.as_json);
    return status;
}

const struct command rt_verb_status = {
    .name = "status",
    .about = "tasks, locks, ceilings, and which task delays which",
    .run = run,
};
