/* SPDX-License-Identifier: MIT */
#include "assist.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/print/json.h"
#include "sys/running_page.h"

const char *assist_registration_name(uint32_t registration)
{
    return registration == FW_ASSIST_ALL       ? "all"
           : registration == FW_ASSIST_BY_RING ? "prctl"
                                               : "wait";
}

const char *assist_readers_name(fw_assist_readers readers)
{
    return readers == FW_ASSIST_READ_BY_ANYBODY ? "anybody"
           : readers == FW_ASSIST_READ_BY_GROUP ? "group"
                                                : "root";
}

/* Its name, or its number where it has none. */
static void group_name(gid_t group, char *text, size_t size)
{
    const struct group *g = getgrgid(group);

    if (g != NULL)
        snprintf(text, size, "%s", g->gr_name);
    else
        snprintf(text, size, "%u", (unsigned)group);
}

void assist_readers_text(fw_assist_readers readers, gid_t group, char text[ASSIST_READERS])
{
    char name[ASSIST_READERS - sizeof "root and group "];

    if (readers != FW_ASSIST_READ_BY_GROUP) {
        snprintf(text, ASSIST_READERS, "%s", assist_readers_name(readers));
        return;
    }
    group_name(group, name, sizeof name);
    snprintf(text, ASSIST_READERS, "root and group %s", name);
}

static bool is_group_number(const char *word, gid_t *group)
{
    unsigned long number;
    char *end;

    errno = 0;
    number = strtoul(word, &end, 10);
    *group = (gid_t)number;
    return word[0] >= '0' && word[0] <= '9' && *end == '\0' && errno == 0 && number == *group &&
           *group != (gid_t)-1; /* which means "as it is" */
}

gid_t assist_find_group(const char *word)
{
    const struct group *g;
    gid_t group;

    errno = 0;
    g = getgrnam(word);
    if (g != NULL)
        return g->gr_gid;
    if (errno == ENOMEM || errno == EMFILE || errno == ENFILE || errno == EIO)
        command_die(COMMAND_FAILED, "--group: %s: %s", word, strerror(errno));
    if (!is_group_number(word, &group))
        command_die(COMMAND_USAGE, "--group: there is no group \"%s\"", word);
    return group;
}

/* --- What there is ---------------------------------------------------------------------------- */

struct shown {
    const char *state; /* "running", "not running", "other version", "unknown" */
    int exit_status;
    bool is_readable; /* by the caller: all of `now` is known */
    struct fw_assist_status now;
    char why[ASSIST_LINE]; /* it is not known, or not readable */
};

static void look(struct shown *s)
{
    fw_bpf_result result = fw_assist_status(&s->now, s->why, sizeof s->why);
    bool is_done = result == FW_BPF_DONE, is_shut = result == FW_BPF_NOT_PERMITTED;

    s->exit_status = EXIT_SUCCESS;
    if (result == FW_BPF_NOT_SUPPORTED || (is_done && !s->now.running)) {
        s->state = "not running";
        s->exit_status = ASSIST_RUNS_NOT;
    } else if (!s->now.running || !(is_done || is_shut)) {
        s->state = "unknown";
        s->exit_status = ASSIST_UNKNOWN;
    } else {
        bool is_ours = is_shut || s->now.version == FW_ASSIST_VERSION;
        s->state = is_ours ? "running" : "other version";
        s->is_readable = is_done && is_ours;
    }
}

static void add(json_t *whole, const char *key, json_t *value)
{
    json_object_set_new(whole, key, value);
}

static void show_json(const struct shown *s, const char *result)
{
    json_t *whole = json_pack("{s:s s:s}", "format", "furwock-assist-1", "state", s->state);

    if (result != NULL)
        add(whole, "result", json_string(result));
    add(whole, "readable", json_boolean(s->is_readable));
    if (s->now.running && s->now.version != 0)
        add(whole, "version", json_integer(s->now.version));
    if (!s->is_readable && s->why[0] != '\0')
        add(whole, "reason", json_string(s->why));
    if (s->now.running) {
        bool is_group = s->now.readers == FW_ASSIST_READ_BY_GROUP;
        char name[ASSIST_READERS] = "";
        if (is_group)
            group_name(s->now.group, name, sizeof name);
        add(whole, "readers", json_string(assist_readers_name(s->now.readers)));
        add(whole, "group", is_group ? json_string(name) : json_null());
    }
    if (s->is_readable) {
        add(whole, "registration", json_string(assist_registration_name(s->now.registration)));
        add(whole, "participants", json_integer(s->now.participants));
        add(whole, "switches", json_integer((json_int_t)s->now.switches));
        add(whole, "runs", json_integer((json_int_t)s->now.run_count));
        add(whole, "run_ns", json_integer((json_int_t)s->now.run_ns));
    }
    command_print_json(whole);
}

static void show_members(const struct fw_assist_status *now)
{
    if (now->registration == FW_ASSIST_ALL)
        printf("  participants   every process\n");
    else
        printf("  participants   %" PRIu32 " process%s by its own call of %s\n", now->participants,
               now->participants == 1 ? "" : "es, each",
               assist_registration_name(now->registration));
    printf("  switches  %" PRIu64 " to participants' threads\n", now->switches);
    if (now->run_count != 0)
        printf("  cost      %.0f ns in each of %" PRIu64 " switches\n",
               (double)now->run_ns / (double)now->run_count, now->run_count);
}

static void show_text(const struct shown *s, const char *result)
{
    char readers[ASSIST_READERS];

    if (result != NULL)
        puts(result);
    else if (s->exit_status != EXIT_SUCCESS)
        printf("%s: %s\n", s->state, s->why);
    else if (strcmp(s->state, "other version") == 0)
        printf("running, version %" PRIu32 ": this program understands version %u only\n",
               s->now.version, FW_ASSIST_VERSION);
    else
        puts(s->state);
    if (!s->now.running)
        return;
    assist_readers_text(s->now.readers, s->now.group, readers);
    printf("  readers   %s%s\n", readers,
           strcmp(s->state, "running") == 0 && !s->is_readable ? "; not this user" : "");
    if (s->is_readable)
        show_members(&s->now);
}

int assist_show(bool as_json, const char *result)
{
    struct shown s = {.now = {.running = false}};

    look(&s);
    if (as_json)
        show_json(&s, result);
    else
        show_text(&s, result);
    return s.exit_status;
}
