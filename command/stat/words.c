/* SPDX-License-Identifier: MIT */
/* Times, threads and locations of furwock run --stat, as words and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "command/print/visible.h"
#include "show.h"

void stat_format_time(const void *value, char *text, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double time = (double)*(const uint64_t *)value;
    unsigned unit = 0;

    while (time >= 999.5 && unit < 3) {
        time /= 1000;
        unit++;
    }
    snprintf(text, size, "%.*f %s",
             time >= 99.95 || unit == 0 ? 0
             : time >= 9.995            ? 1
                                        : 2,
             time, units[unit]);
}

const char *stat_time(uint64_t ns, char text[static STAT_TIME])
{
    stat_format_time(&ns, text, STAT_TIME);
    return text;
}

const char *stat_call_at(struct locations *locations, uint64_t address, char text[static STAT_WORD])
{
    struct location location = locations_call(locations, address);

    locations_write(&location, address, text, STAT_WORD);
    return text;
}

const char *stat_lock_at(struct locations *locations, uint64_t key, char text[static STAT_WORD])
{
    struct location location = locations_data(locations, stat_object(key));

    if (key == 0)
        return strcpy(text, STAT_OTHERS);
    locations_write(&location, stat_object(key), text, STAT_WORD);
    return text;
}

/* Copied to `name`, which is large enough for the longest one. */
static const char *thread_name(const struct stat_process *p, uint32_t thread, char *name,
                               size_t size)
{
    snprintf(name, size, "%s", stat_thread_name(p, thread));
    return visible(name);
}

const char *stat_thread_at(const struct stat_process *p, uint32_t thread,
                           char text[static STAT_WORD])
{
    char name[sizeof p->file->threads->name];

    if (thread_name(p, thread, name, sizeof name)[0] != '\0')
        snprintf(text, STAT_WORD, "%" PRIu32 " \"%s\"", thread, name);
    else
        snprintf(text, STAT_WORD, "%" PRIu32, thread);
    return text;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *location_json(const struct location *location, uint64_t address)
{
    char text[STAT_WORD_JSON];

    locations_write(location, address, text, sizeof text);
    return json_pack("{s:o s:s s:o s:o s:I s:o s:I}", "address",
                     json_sprintf("0x%" PRIx64, address), "text", visible(text), "symbol",
                     print_text_json(location->symbol), "file", print_text_json(location->file),
                     "line", (json_int_t)location->line, "module",
                     print_text_json(location->module), "offset", (json_int_t)location->offset);
}

json_t *stat_call_json(struct locations *locations, uint64_t address)
{
    struct location location;

    if (address == 0)
        return json_null();
    location = locations_call(locations, address);
    return location_json(&location, address);
}

json_t *stat_lock_json(struct locations *locations, uint64_t key)
{
    struct location location = {.symbol = STAT_OTHERS};

    if (key != 0)
        location = locations_data(locations, stat_object(key));
    return location_json(&location, stat_object(key));
}

json_t *stat_thread_json(const struct stat_process *p, uint32_t thread)
{
    char name[sizeof p->file->threads->name];

    return json_pack("{s:I s:s}", "thread", (json_int_t)thread, "name",
                     thread_name(p, thread, name, sizeof name));
}
