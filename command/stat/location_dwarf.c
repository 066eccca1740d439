/* SPDX-License-Identifier: MIT */
/* Symbols and lines, by libdw (elfutils). */
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command/print/visible.h"
#include "location.h"
#include "rust_name.h"

/*
 * A file of code.  Reading its symbols takes long, and a run has the same few files in each of its
 * processes, wherever these have mapped it: so it is read once, as if mapped at HERE, and kept
 * until this program ends.
 */
struct file {
    struct file *next;
    char *path;
    struct stat identity;
    Dwfl *dwfl;
    Dwarf_Addr begin, end; /* as if mapped there; equal: it has no symbols */
};

#define HERE UINT64_C(0x100000000) /* aligned for any file */

struct mapping {
    const struct file *file;
    uint64_t begin;
};

struct symbols {
    struct mapping *mappings;
    unsigned count;
    char **texts; /* to be freed at the end */
    size_t text_count;
};

static char *debug_path = NULL; /* libdw's own default */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_path,
};

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

/* Nobody expects to wait for a download here who has not asked for it: debuginfod(8). */
static bool may_download(void)
{
    const char *word = getenv("FURWOCK_DEBUGINFOD");

    return word != NULL && *word != '\0' && strcmp(word, "0") != 0 && strcmp(word, "no") != 0;
}

static void read_file(struct file *f, const char *opened)
{
    Dwfl_Module *module = NULL;

    if (!may_download())
        unsetenv("DEBUGINFOD_URLS");
    f->dwfl = dwfl_begin(&callbacks);
    if (f->dwfl == NULL)
        return;
    dwfl_report_begin(f->dwfl);
    module = dwfl_report_elf(f->dwfl, f->path, opened, -1, HERE, false);
    dwfl_report_end(f->dwfl, NULL, NULL);
    if (module != NULL)
        dwfl_module_info(module, NULL, &f->begin, &f->end, NULL, NULL, NULL, NULL);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static const struct file *file_at(const char *path, const char *opened)
{
    static struct file *all;
    struct stat identity = {.st_dev = 0};
    struct file *f;

    stat(opened, &identity);
    for (f = all; f != NULL; f = f->next)
        if (strcmp(f->path, path) == 0 && is_same(&f->identity, &identity))
            return f;
    f = must(calloc(1, sizeof *f));
    *f = (struct file){.next = all, .path = must(strdup(path)), .identity = identity};
    if (locations_is_elf(opened))
        read_file(f, opened);
    return all = f;
}

struct symbols *symbols_open(const struct locations_module *modules, unsigned count)
{
    struct symbols *s = must(calloc(1, sizeof *s));

    s->mappings = must(calloc(count + 1, sizeof *s->mappings));
    s->count = count;
    for (unsigned i = 0; i < count; i++)
        s->mappings[i] =
            (struct mapping){file_at(modules[i].path, modules[i].file), modules[i].begin};
    return s;
}

void symbols_close(struct symbols *s)
{
    for (size_t i = 0; i < s->text_count; i++)
        free(s->texts[i]);
    free(s->texts);
    free(s->mappings);
    free(s);
}

/* The module that is mapped at the address, and the address as if it were mapped at HERE. */
static Dwfl_Module *find_module(const struct symbols *s, uint64_t *address)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct mapping *m = &s->mappings[i];
        uint64_t offset = *address - m->begin;

        if (offset >= m->file->end - m->file->begin)
            continue;
        *address = m->file->begin + offset;
        return dwfl_addrmodule(m->file->dwfl, *address);
    }
    return NULL;
}

/* From libstdc++, where there is one: names of C++ as they are written. */
static char *demangle(const char *name)
{
    static char *(*function)(const char *name, char *buffer, size_t *size, int *status);
    static bool is_known;
    int status = -1;

    if (!is_known) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY);

        if (library != NULL)
            *(void **)&function = dlsym(library, "__cxa_demangle");
        is_known = true;
    }
    return function != NULL && name[0] == '_' && name[1] == 'Z'
               ? function(name, NULL, NULL, &status)
               : NULL;
}

/* The name without what it is called with: "f(int, std::vector<...>)" is f. */
static void cut_arguments(char *name)
{
    int depth = 0;

    for (char *c = name; *c != '\0'; c++) {
        if (*c == '<')
            depth++;
        else if (*c == '>' && depth > 0)
            depth--;
        else if (*c == '(' && depth == 0 && c != name && strncmp(c, "(anonymous", 10) != 0) {
            *c = '\0';
            return;
        }
    }
}

/* A text that lives as long as s. */
static const char *keep(struct symbols *s, const char *name)
{
    char *text = demangle(name), path[400];

    if (text == NULL && rust_name(name, path, sizeof path))
        text = strdup(path);
    else if (text != NULL) {
        cut_arguments(text);
        rust_cut_hash(text);
    }
    if (text == NULL && (text = strdup(name)) != NULL)
        text[strcspn(text, "@")] = '\0'; /* without a version */
    s->texts = realloc(s->texts, (s->text_count + 1) * sizeof *s->texts);
    if (text == NULL || s->texts == NULL)
        abort();
    return s->texts[s->text_count++] = visible(text);
}

/* The symbol that has the address, and what the address is in the module's own terms. */
static void find_symbol(struct symbols *s, Dwfl_Module *module, uint64_t address,
                        struct location *location)
{
    GElf_Off behind;
    GElf_Sym symbol;
    Dwarf_Addr bias = 0;
    const char *name = dwfl_module_addrinfo(module, address, &behind, &symbol, NULL, NULL, NULL);

    if (dwfl_module_getelf(module, &bias) != NULL)
        location->offset = address - bias;
    if (name != NULL && (symbol.st_size == 0 ? behind < 4096 : behind < symbol.st_size)) {
        location->symbol = keep(s, name);
        location->behind = behind;
    }
}

/* Headers of compilers and libraries: what is inlined from there is not where one looks. */
static bool is_foreign(const char *file)
{
    return strncmp(file, "/usr/include/", 13) == 0 || strncmp(file, "/usr/lib/", 9) == 0;
}

static int attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute found;
    Dwarf_Word value;

    if (dwarf_attr(die, name, &found) == NULL || dwarf_formudata(&found, &value) != 0)
        return 0;
    return (int)value;
}

/*
 * Out of inlined calls, until the line is one of the program's own.  (dwarf_getscopes goes on from
 * an inlined call to where the function is defined, dwarf_getscopes_die to where it was called.)
 */
static void leave_inlined(Dwarf_Die *unit, uint64_t address, const char **file, int *line)
{
    Dwarf_Die *innermost = NULL, *scopes = NULL;
    Dwarf_Files *files;
    size_t count;
    int n = dwarf_getscopes(unit, address, &innermost);

    if (n > 0)
        n = dwarf_getscopes_die(&innermost[0], &scopes);
    for (int i = 0; i < n && is_foreign(*file); i++) {
        const char *caller;
        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine ||
            dwarf_getsrcfiles(unit, &files, &count) != 0)
            continue;
        caller = dwarf_filesrc(files, (size_t)attribute(&scopes[i], DW_AT_call_file), NULL, NULL);
        if (caller == NULL)
            continue;
        *file = caller;
        *line = attribute(&scopes[i], DW_AT_call_line);
    }
    free(scopes);
    free(innermost);
}

static void find_line(struct symbols *s, Dwfl_Module *module, uint64_t address,
                      struct location *location)
{
    Dwfl_Line *found = dwfl_module_getsrc(module, address);
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit;
    const char *file;
    int line;

    file = found != NULL ? dwfl_lineinfo(found, NULL, &line, NULL, NULL, NULL) : NULL;
    if (file == NULL)
        return;
    unit = is_foreign(file) ? dwfl_module_addrdie(module, address, &bias) : NULL;
    if (unit != NULL)
        leave_inlined(unit, address - bias, &file, &line);
    location->file = keep(s, file);
    location->line = line;
}

void symbols_call(struct symbols *s, uint64_t returns_to, struct location *location)
{
    uint64_t call = returns_to - 1;
    Dwfl_Module *module = find_module(s, &call);

    if (module == NULL)
        return;
    find_symbol(s, module, call, location);
    find_line(s, module, call, location);
}

bool symbols_find(struct symbols *s, unsigned module, const char *name, uint64_t *address)
{
    const struct mapping *m = &s->mappings[module];
    uint64_t begin = m->begin;
    Dwfl_Module *of = find_module(s, &begin);
    int count = of != NULL ? dwfl_module_getsymtab(of) : 0;

    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr value;
        const char *text = dwfl_module_getsym_info(of, i, &symbol, &value, NULL, NULL, NULL);
        if (text == NULL || strcmp(text, name) != 0 || symbol.st_shndx == SHN_UNDEF)
            continue;
        *address = value - m->file->begin + m->begin;
        return true;
    }
    return false;
}

void symbols_data(struct symbols *s, uint64_t address, struct location *location)
{
    Dwfl_Module *module = find_module(s, &address);

    if (module == NULL)
        return;
    location->module = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    find_symbol(s, module, address, location);
}
