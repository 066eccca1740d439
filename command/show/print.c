/* SPDX-License-Identifier: MIT */
/* What furwock show has found, as text and as JSON. */
#include <inttypes.h>
#include <string.h>

#include <furwock/ipc/region.h>

#include "show.h"

/* --- Text ------------------------------------------------------------------------------------- */

static void print_seconds(uint64_t ns, FILE *out)
{
    fprintf(out, "%.*f s", ns < UINT64_C(10000000000) ? 3 : 0, (double)ns / 1e9);
}

/* "1234", or "1234/1236" where it is not the process's first thread. */
static void print_ids(const struct region_thread *t, FILE *out)
{
    if (t->process == 0)
        fputs("somebody", out);
    else if (t->process == t->thread)
        fprintf(out, "%" PRIu32, t->process);
    else
        fprintf(out, "%" PRIu32 "/%" PRIu32, t->process, t->thread);
    if (t->life != REGION_ALIVE)
        fprintf(out, " (%s)", region_life_name(t->life));
    if (t->is_foreign)
        fputs(" (of another pid namespace)", out);
}

static void print_thread(const struct show_thread *t, FILE *out)
{
    fputs("      ", out);
    print_ids(&t->who, out);
    fprintf(out, " %s", t->as);
    if (t->number >= 0)
        fprintf(out, " %" PRId64, t->number);
    if (t->has_ns) {
        fputs(", for ", out);
        print_seconds(t->ns, out);
    }
    fputc('\n', out);
}

static void print_threads(const struct show_threads *list, FILE *out)
{
    for (size_t i = 0; i < list->count; i++)
        print_thread(&list->all[i], out);
    if (list->more != 0)
        fprintf(out, "      and %" PRIu64 " more\n", list->more);
}

static void print_object(const struct show_object *o, FILE *out)
{
    const char *comma = o->state[0] != '\0' ? ", " : "";

    fprintf(out, "  %-20s %-8s %s", o->name, o->kind, o->state);
    for (unsigned i = 0; i < o->number_count; i++) {
        fprintf(out, "%s%s %" PRIu64, comma, o->numbers[i].key, o->numbers[i].value);
        comma = ", ";
    }
    if (strcmp(o->kind, show_kinds[FW_REGION_DATA]) == 0)
        fprintf(out, "%" PRIu64 " bytes", o->size);
    fputc('\n', out);
    print_threads(&o->inside, out);
    print_threads(&o->waiting, out);
    if (o->died.as != NULL) {
        fputs("      ", out);
        print_ids(&o->died.who, out);
        fprintf(out, " was the last to die with it, generation %" PRIu64 "\n", o->died_generation);
    }
}

static void print_member(const struct show_member *m, const struct show *s, FILE *out)
{
    const struct show_thread *t = &m->thread;

    fprintf(out, "  line %-4" PRIu32 " ", m->line);
    print_ids(&t->who, out);
    if (t->as != NULL) {
        fprintf(out, " %s", t->as);
        for (size_t i = 0; i < s->object_count; i++)
            if (t->waits_for >= s->objects[i].at &&
                t->waits_for - s->objects[i].at < s->objects[i].size)
                fprintf(out, ": %s", s->objects[i].name);
        fputs(", for ", out);
        print_seconds(t->ns, out);
    }
    fputc('\n', out);
}

void show_print(const struct show *s, FILE *out)
{
    unsigned threads, processes;

    region_count(&s->region, &threads, &processes);
    fprintf(out, "%s: %" PRIu64 " bytes, %zu object%s, %u thread%s of %u process%s\n",
            s->region.name, s->region.plan.size, s->object_count, s->object_count == 1 ? "" : "s",
            threads, threads == 1 ? "" : "s", processes, processes == 1 ? "" : "es");
    if (s->trouble != NULL)
        fprintf(out, "It is %s.\n", s->trouble);
    if (s->damaged != 0)
        fprintf(out, "Written over: %u entr%s of the directory.\n", s->damaged,
                s->damaged == 1 ? "y" : "ies");
    if (s->object_count != 0)
        fputs("\nObjects\n", out);
    for (size_t i = 0; i < s->object_count; i++)
        print_object(&s->objects[i], out);
    if (s->member_count != 0)
        fputs("\nMembers\n", out);
    for (size_t i = 0; i < s->member_count; i++)
        print_member(&s->members[i], s, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *id_json(uint32_t id)
{
    return id != 0 ? json_integer((json_int_t)id) : json_null();
}

static json_t *ns_json(const struct show_thread *t)
{
    return t->has_ns ? json_integer((json_int_t)t->ns) : json_null();
}

static json_t *thread_json(const struct show_thread *t)
{
    json_t *thread = json_pack("{s:o s:o s:s s:b s:o s:o}", "process", id_json(t->who.process),
                               "thread", id_json(t->who.thread), "life",
                               region_life_name(t->who.life), "is_foreign", t->who.is_foreign, "as",
                               t->as != NULL ? json_string(t->as) : json_null(), "ns", ns_json(t));

    if (t->number >= 0)
        json_object_set_new(thread, "number", json_integer((json_int_t)t->number));
    return thread;
}

static json_t *threads_json(const struct show_threads *list)
{
    json_t *all = json_array();

    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(all, thread_json(&list->all[i]));
    return all;
}

static json_t *object_json(const struct show_object *o)
{
    json_t *object =
        json_pack("{s:s s:s s:I s:I s:s s:o s:I s:o s:I}", "name", o->name, "kind", o->kind, "at",
                  (json_int_t)o->at, "bytes", (json_int_t)o->size, "state", o->state, "inside",
                  threads_json(&o->inside), "more_inside", (json_int_t)o->inside.more, "waiting",
                  threads_json(&o->waiting), "more_waiting", (json_int_t)o->waiting.more);

    for (unsigned i = 0; i < o->number_count; i++)
        json_object_set_new(object, o->numbers[i].key,
                            json_integer((json_int_t)o->numbers[i].value));
    if (o->died.as != NULL) {
        json_t *died = thread_json(&o->died);
        json_object_set_new(died, "generation", json_integer((json_int_t)o->died_generation));
        json_object_set_new(object, "died", died);
    }
    return object;
}

static json_t *member_json(const struct show_member *m)
{
    json_t *member = thread_json(&m->thread);

    json_object_set_new(member, "line", json_integer((json_int_t)m->line));
    json_object_set_new(member, "tenancy", json_integer((json_int_t)m->tenancy));
    if (m->thread.as != NULL)
        json_object_set_new(member, "waits_for", json_integer((json_int_t)m->thread.waits_for));
    return member;
}

json_t *show_json(const struct show *s)
{
    json_t *objects = json_array(), *members = json_array();

    for (size_t i = 0; i < s->object_count; i++)
        json_array_append_new(objects, object_json(&s->objects[i]));
    for (size_t i = 0; i < s->member_count; i++)
        json_array_append_new(members, member_json(&s->members[i]));
    return json_pack("{s:s s:s s:I s:i s:b s:o s:i s:o s:o}", "format", "furwock-show-1", "region",
                     s->region.name, "bytes", (json_int_t)s->region.plan.size, "version",
                     (int)FW_IPC_VERSION, "has_stamps",
                     (s->region.plan.flags & FW_REGION_STAMP) != 0, "trouble",
                     s->trouble != NULL ? json_string(s->trouble) : json_null(), "damaged",
                     (int)s->damaged, "objects", objects, "members", members);
}
