/* SPDX-License-Identifier: MIT */
/* Contract: location.h. */
#include "location.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/print/visible.h"

/* A line of /proc/PID/maps that has a name: of a file, or one in brackets. */
struct part {
    uint64_t begin, end, inode;
    const char *name;
};

struct name {
    uint64_t address;
    char *text;
};

struct locations {
    struct name *names;
    unsigned name_count;
    pid_t pid; /* 0: not of a living process */
    struct part *parts;
    unsigned part_count;
    struct locations_module *modules;
    unsigned module_count;
    struct symbols *symbols;
};

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* "begin-end rwxp offset dev inode   name" */
static void read_line(struct locations *p, char *line)
{
    struct part part;
    int name = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64 " %n", &part.begin, &part.end,
               &part.inode, &name) < 3 ||
        name == 0 || (line[name] != '/' && line[name] != '['))
        return;
    part.name = must(strdup(visible(line + name)));
    p->parts = must(realloc(p->parts, (p->part_count + 1) * sizeof *p->parts));
    p->parts[p->part_count++] = part;
}

static struct locations_module *find_module(struct locations *p, const char *path)
{
    for (unsigned i = 0; i < p->module_count; i++)
        if (strcmp(p->modules[i].path, path) == 0)
            return &p->modules[i];
    return NULL;
}

static bool is_taken(const struct locations *p, const struct part *part)
{
    for (unsigned i = 0; i < p->module_count; i++)
        if (part->begin < p->modules[i].end && part->end > p->modules[i].begin &&
            strcmp(p->modules[i].path, part->name) != 0)
            return true;
    return false;
}

void locations_file(pid_t pid, const char *path, uint64_t begin, uint64_t end, uint64_t inode,
                    char *file, size_t size)
{
    struct stat about;

    if (pid == 0) {
        snprintf(file, size, "%s", path);
        return;
    }
    snprintf(file, size, "/proc/%d/root%s", (int)pid, path);
    if (stat(file, &about) != 0 || about.st_ino != inode)
        snprintf(file, size, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, begin, end);
}

/* Devices are mapped, too, and opening one may do anything. */
bool locations_is_elf(const char *file)
{
    struct stat about;
    char magic[4] = "";
    int fd;

    if (stat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    if (read(fd, magic, sizeof magic) != (ssize_t)sizeof magic)
        magic[0] = '\0';
    close(fd);
    return memcmp(magic, "\177ELF", sizeof magic) == 0;
}

static const char *file_of(const struct locations *p, const struct part *part)
{
    char file[4352];

    if (p->pid == 0)
        return part->name;
    locations_file(p->pid, part->name, part->begin, part->end, part->inode, file, sizeof file);
    return must(strdup(file));
}

/* The latest copy comes first: what an earlier one has at the same address is gone. */
static void gather_modules(struct locations *p)
{
    for (unsigned i = p->part_count; i-- > 0;) {
        const struct part *part = &p->parts[i];
        struct locations_module *m = find_module(p, part->name);

        if (part->name[0] != '/' || is_taken(p, part))
            continue;
        if (m == NULL) {
            p->modules = must(realloc(p->modules, (p->module_count + 1) * sizeof *p->modules));
            m = &p->modules[p->module_count++];
            *m = (struct locations_module){part->name, file_of(p, part), part->begin, part->end};
        }
        if (part->begin < m->begin)
            m->begin = part->begin;
        if (part->end > m->end)
            m->end = part->end;
    }
}

struct locations *locations_open_of(const char *maps, pid_t pid)
{
    struct locations *p = must(calloc(1, sizeof *p));
    FILE *in = fopen(maps, "re");
    char *line = NULL;
    size_t size = 0;

    p->pid = pid;
    while (in != NULL && getline(&line, &size, in) > 0)
        read_line(p, line);
    free(line);
    if (in != NULL)
        fclose(in);
    gather_modules(p);
    p->symbols = symbols_open(p->modules, p->module_count);
    return p;
}

struct locations *locations_open(const char *maps)
{
    return locations_open_of(maps, 0);
}

void locations_close(struct locations *p)
{
    symbols_close(p->symbols);
    for (unsigned i = 0; p->pid != 0 && i < p->module_count; i++)
        free((char *)p->modules[i].file);
    for (unsigned i = 0; i < p->part_count; i++)
        free((char *)p->parts[i].name);
    for (unsigned i = 0; i < p->name_count; i++)
        free(p->names[i].text);
    free(p->names);
    free(p->parts);
    free(p->modules);
    free(p);
}

/* --- Asking ----------------------------------------------------------------------------------- */

static struct location locate(const struct locations *p, uint64_t address)
{
    for (unsigned i = 0; i < p->module_count; i++)
        if (address >= p->modules[i].begin && address < p->modules[i].end)
            return (struct location){.module = p->modules[i].path,
                                     .offset = address - p->modules[i].begin};
    for (unsigned i = p->part_count; i-- > 0;)
        if (address >= p->parts[i].begin && address < p->parts[i].end)
            return (struct location){.module = p->parts[i].name};
    return (struct location){0};
}

struct location locations_call(struct locations *p, uint64_t returns_to)
{
    struct location location = locate(p, returns_to - 1);

    if (returns_to != 0)
        symbols_call(p->symbols, returns_to, &location);
    return location;
}

void locations_name(struct locations *p, uint64_t address, const char *name)
{
    for (unsigned i = 0; i < p->name_count; i++)
        if (p->names[i].address == address) {
            free(p->names[i].text);
            p->names[i].text = visible(must(strdup(name)));
            return;
        }
    if (*name == '\0')
        return;
    p->names = must(realloc(p->names, (p->name_count + 1) * sizeof *p->names));
    p->names[p->name_count++] = (struct name){address, must(strdup(name))};
    visible(p->names[p->name_count - 1].text);
}

/* The drop-in, "libfurwock-pthread", has a copy that serves POSIX's locks only. */
static bool is_furwock(const struct locations_module *m)
{
    const char *name = strrchr(m->path, '/');

    return name != NULL && strncmp(name, "/libfurwock.so", strlen("/libfurwock.so")) == 0;
}

bool locations_find(struct locations *p, const char *name, uint64_t *address)
{
    for (unsigned i = 0; i < p->module_count; i++)
        if (is_furwock(&p->modules[i]) && symbols_find(p->symbols, i, name, address))
            return true;
    for (unsigned i = p->part_count > 0 ? p->module_count : 0; i-- > 0;) /* the program is last */
        if (strstr(p->modules[i].path, ".so") == NULL && symbols_find(p->symbols, i, name, address))
            return true;
    return false;
}

struct location locations_data(struct locations *p, uint64_t address)
{
    struct location location = locate(p, address);

    for (unsigned i = 0; i < p->name_count; i++) {
        if (p->names[i].address != address || p->names[i].text[0] == '\0')
            continue;
        location.symbol = p->names[i].text;
        return location;
    }
    symbols_data(p->symbols, address, &location);
    return location;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

void locations_write(const struct location *location, uint64_t address, char *text, unsigned size)
{
    if (location->symbol != NULL && location->line != 0)
        snprintf(text, size, "%s (%s:%d)", location->symbol, last_part(location->file),
                 location->line);
    else if (location->symbol != NULL && location->behind != 0)
        snprintf(text, size, "%s+0x%" PRIx64, location->symbol, location->behind);
    else if (location->symbol != NULL)
        snprintf(text, size, "%s", location->symbol);
    else if (location->module != NULL && location->module[0] == '/')
        snprintf(text, size, "%s+0x%" PRIx64, last_part(location->module), location->offset);
    else
        snprintf(text, size, "%s%s0x%" PRIx64, location->module != NULL ? location->module : "",
                 location->module != NULL ? " " : "", address);
}
