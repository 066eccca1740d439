/* SPDX-License-Identifier: MIT */
/* What furwock show has found. */
#include <inttypes.h>
#include <string.h>

#include <furwock/ipc/region.h>

#include "show.h"

/* --- Threads ---------------------------------------------------------------------------------- */

static void print_seconds(const struct printer *p, uint64_t ns)
{
    print_words(p, "%.*f s", ns < UINT64_C(10000000000) ? 3 : 0, (double)ns / 1e9);
}

/* "1234", or "1234/1236" where it is not the process's first thread. */
static void print_ids(const struct printer *p, const struct region_thread *t)
{
    if (t->process == 0)
        print_words(p, "somebody");
    else if (t->process == t->thread)
        print_words(p, "%" PRIu32, t->process);
    else
        print_words(p, "%" PRIu32 "/%" PRIu32, t->process, t->thread);
    if (t->life != REGION_ALIVE)
        print_words(p, " (%s)", region_life_name(t->life));
    if (t->is_foreign)
        print_words(p, " (of another pid namespace)");
}

static json_t *id_json(uint32_t id)
{
    return id != 0 ? json_integer((json_int_t)id) : json_null();
}

/* The ids, and the fields that all threads have. */
static void print_who(const struct printer *p, const struct show_thread *t)
{
    print_ids(p, &t->who);
    print_member(p, "process", id_json(t->who.process));
    print_member(p, "thread", id_json(t->who.thread));
    print_member(p, "liveness", json_string(region_life_name(t->who.life)));
    print_member(p, "is_foreign", json_boolean(t->who.is_foreign));
    print_member(p, "role", print_text_json(t->as));
    print_member(p, "ns", t->has_ns ? json_integer((json_int_t)t->ns) : json_null());
    if (t->number >= 0)
        print_member(p, "number", json_integer((json_int_t)t->number));
}

static void print_thread(const struct printer *p, const void *record, const void *context)
{
    const struct show_thread *t = record;

    (void)context;
    print_words(p, "      ");
    print_who(p, t);
    print_words(p, " %s", t->as);
    if (t->number >= 0)
        print_words(p, " %" PRId64, t->number);
    if (t->has_ns) {
        print_words(p, ", for ");
        print_seconds(p, t->ns);
    }
    print_words(p, "\n");
}

static const struct print_record thread_record = {.more = print_thread};

static void print_threads(const struct printer *p, const char *key, const char *more_key,
                          const struct show_threads *list)
{
    print_list(p, key, &thread_record, list->all, list->count, sizeof *list->all, NULL);
    print_member(p, more_key, json_integer((json_int_t)list->more));
    if (list->more != 0)
        print_words(p, "      and %" PRIu64 " more\n", list->more);
}

/* --- Objects ---------------------------------------------------------------------------------- */

static void end_object(const struct printer *p, const void *record, const void *context)
{
    const struct show_object *o = record;
    const char *comma = o->state[0] != '\0' ? ", " : "";

    (void)context;
    for (unsigned i = 0; i < o->number_count; i++) {
        print_member(p, o->numbers[i].key, json_integer((json_int_t)o->numbers[i].value));
        print_words(p, "%s%s %" PRIu64, comma, o->numbers[i].key, o->numbers[i].value);
        comma = ", ";
    }
    if (strcmp(o->kind, show_kinds[FW_REGION_DATA]) == 0)
        print_words(p, "%" PRIu64 " bytes", o->size);
    print_words(p, "\n");
    print_threads(p, "inside", "more_inside", &o->inside);
    print_threads(p, "waiting", "more_waiting", &o->waiting);
    if (o->died.as != NULL) {
        struct printer died = print_object(p, "died");
        print_words(p, "      ");
        print_who(&died, &o->died);
        print_member(&died, "generation", json_integer((json_int_t)o->died_generation));
        print_words(p, " was the last to die with it, generation %" PRIu64 "\n",
                    o->died_generation);
    }
}

static const struct print_field object_fields[] = {
    {PRINT_FIELD("name", NULL, PRINT_ARRAY, show_object, name), .width = -20, .before = "  "},
    {PRINT_FIELD("kind", NULL, PRINT_TEXT, show_object, kind), .width = -8, .before = " "},
    {PRINT_FIELD("at", NULL, PRINT_U64, show_object, at)},
    {PRINT_FIELD("bytes", NULL, PRINT_U64, show_object, size)},
    {PRINT_FIELD("state", NULL, PRINT_TEXT, show_object, state), .before = " "},
};
static const struct print_record object_record = PRINT_RECORD(object_fields, end_object);

/* --- Participants ----------------------------------------------------------------------------- */

static void end_participant(const struct printer *p, const void *record, const void *context)
{
    const struct show_participant *m = record;
    const struct show *s = context;
    const struct show_thread *t = &m->thread;

    print_words(p, " ");
    print_who(p, t);
    if (t->as != NULL) {
        print_member(p, "waits_for", json_integer((json_int_t)t->waits_for));
        print_words(p, " %s", t->as);
        for (size_t i = 0; i < s->object_count; i++)
            if (t->waits_for >= s->objects[i].at &&
                t->waits_for - s->objects[i].at < s->objects[i].size)
                print_words(p, ": %s", s->objects[i].name);
        print_words(p, ", for ");
        print_seconds(p, t->ns);
    }
    print_words(p, "\n");
}

static const struct print_field participant_fields[] = {
    {PRINT_FIELD("slot", NULL, PRINT_UNSIGNED, show_participant, slot), .width = -4,
     .before = "  slot "},
    {PRINT_FIELD("slot_generation", NULL, PRINT_UNSIGNED, show_participant, generation)},
};
static const struct print_record participant_record =
    PRINT_RECORD(participant_fields, end_participant);

/* --- All -------------------------------------------------------------------------------------- */

static void print_region(const struct printer *p, const struct show *s)
{
    unsigned threads, processes;

    region_count(&s->region, &threads, &processes);
    print_member(p, "region", json_string(s->region.name));
    print_member(p, "bytes", json_integer((json_int_t)s->region.plan.size));
    print_member(p, "region_format", json_integer(s->region.plan.format));
    print_member(p, "has_stamps", json_boolean((s->region.plan.flags & FW_REGION_STAMP) != 0));
    print_member(p, "trouble", print_text_json(s->trouble));
    print_member(p, "damaged", json_integer(s->damaged));
    print_words(
        p, "%s: format %" PRIu32 ", %" PRIu64 " bytes, %zu object%s, %u thread%s of %u process%s\n",
        s->region.name, s->region.plan.format, s->region.plan.size, s->object_count,
        print_plural(s->object_count), threads, print_plural(threads), processes,
        processes == 1 ? "" : "es");
    if (s->trouble != NULL)
        print_words(p, "It is %s.\n", s->trouble);
    if (s->damaged != 0)
        print_words(p, "Overwritten: %u entr%s of the directory.\n", s->damaged,
                    s->damaged == 1 ? "y" : "ies");
}

void show_print(const struct show *s, bool as_json)
{
    struct printer p = print_begin(as_json, "furwock-show-1");

    print_region(&p, s);
    if (s->object_count != 0)
        print_words(&p, "\nObjects\n");
    print_list(&p, "objects", &object_record, s->objects, s->object_count, sizeof *s->objects,
               NULL);
    if (s->participant_count != 0)
        print_words(&p, "\nParticipants\n");
    print_list(&p, "members", &participant_record, s->participants, s->participant_count,
               sizeof *s->participants, s);
    print_end(&p);
}
