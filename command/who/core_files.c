/* SPDX-License-Identifier: MIT */
/* Contract: core.h.  Opening a core, its notes, and the files that were mapped. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "core_parts.h"
#include "stacks.h"

/* Of `struct elf_prstatus` where words have 64 bits. */
enum { STATUS_PID = 32, STATUS_REGISTERS = 112, NAME_AT = 40 /* in elf_prpsinfo */, PAGE = 4096 };
enum { NOTES_MAX = 256 << 20, SEGMENTS_MAX = 1 << 20 };

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static bool read_at(int fd, uint64_t at, void *bytes, size_t size)
{
    return pread(fd, bytes, size, (off_t)at) == (ssize_t)size;
}

/* --- Files ------------------------------------------------------------------------------------ */

int core_file(struct core *c, const char *path)
{
    for (size_t i = 0; i < c->file_count; i++) {
        struct core_file *f = &c->files[i];
        if (strcmp(f->path, path) != 0 && (f->opened == NULL || strcmp(f->opened, path) != 0))
            continue;
        if (f->fd < 0 && f->opened != NULL && locations_is_elf(f->opened))
            f->fd = open(f->opened, O_RDONLY | O_CLOEXEC);
        return f->fd;
    }
    return -1;
}

/* Is what the core has of the file's beginning still there?  (The build id lies in it.) */
static bool is_same(const struct core *c, int fd, uint64_t begin)
{
    unsigned char was[PAGE], is[PAGE];
    size_t size = core_read_own(c, begin, was, sizeof was);

    return size < sizeof(Elf64_Ehdr) || (read_at(fd, 0, is, size) && memcmp(was, is, size) == 0);
}

static const struct core_file *file_of(struct core *c, const char *path, uint64_t begin,
                                       const char *other)
{
    struct core_file *f;

    for (size_t i = 0; i < c->file_count; i++)
        if (strcmp(c->files[i].path, path) == 0)
            return &c->files[i];
    c->files = must(realloc(c->files, (c->file_count + 1) * sizeof *c->files));
    f = &c->files[c->file_count++];
    *f = (struct core_file){path, must(strdup(other != NULL ? other : path)), -1};
    f->fd = core_file(c, path);
    if (f->fd >= 0 && !is_same(c, f->fd, begin)) {
        snprintf(c->note, sizeof c->note, "%s is not the file that the core is of: it has no names",
                 f->opened);
        close(f->fd);
        free(f->opened);
        *f = (struct core_file){.path = path, .fd = -1};
    }
    return f;
}

/* --- Notes ------------------------------------------------------------------------------------ */

static void add_thread(struct core *c, const char *note, size_t size)
{
    unsigned count = c->machine == EM_X86_64 ? 27 : CORE_REGISTERS;
    struct core_thread *t;

    if (size < STATUS_REGISTERS + count * sizeof *t->registers)
        return;
    c->threads = must(realloc(c->threads, (c->thread_count + 1) * sizeof *c->threads));
    t = &c->threads[c->thread_count++];
    *t = (struct core_thread){0};
    memcpy(&t->tid, note + STATUS_PID, sizeof t->tid);
    memcpy(t->registers, note + STATUS_REGISTERS, count * sizeof *t->registers);
}

static void read_auxv(struct core *c, const char *note, size_t size)
{
    for (size_t at = 0; at + 16 <= size; at += 16) {
        uint64_t pair[2];
        memcpy(pair, note + at, sizeof pair);
        if (pair[0] == AT_PHDR)
            c->program_at = pair[1];
    }
}

static void read_note(struct target *t, unsigned type, const char *note, size_t size)
{
    struct core *c = t->core;

    switch (type) {
    case NT_PRSTATUS:
        add_thread(c, note, size);
        break;
    case NT_PRPSINFO:
        if (size >= NAME_AT + 16) {
            memcpy(&t->pid, note + 24, sizeof t->pid);
            snprintf(t->name, sizeof t->name, "%.16s", note + NAME_AT);
        }
        break;
    case NT_AUXV:
        read_auxv(c, note, size);
        break;
    case NT_FILE:
        c->mapped = must(malloc(size + 1));
        memcpy(c->mapped, note, size);
        c->mapped[size] = '\0';
        c->mapped_size = size;
        break;
    default:
        break;
    }
}

static void read_notes(struct target *t, const char *all, size_t size)
{
    Elf64_Nhdr n;

    for (size_t at = 0; at + sizeof n <= size;) {
        size_t begin;

        memcpy(&n, all + at, sizeof n);
        begin = at + sizeof n + (n.n_namesz + UINT64_C(3)) / 4 * 4;
        at = begin + (n.n_descsz + UINT64_C(3)) / 4 * 4;
        if (begin > size || n.n_descsz > size - begin)
            return;
        if (n.n_namesz == 5 && memcmp(all + begin - 8, "CORE", 5) == 0)
            read_note(t, n.n_type, all + begin, n.n_descsz);
    }
}

/* --- Mappings --------------------------------------------------------------------------------- */

/* The note: count, page size, {begin, end, page}..., then the paths. */
static const char *mapped_at(const struct core *c, uint64_t address, uint64_t *offset)
{
    uint64_t head[2], entry[3];
    const char *path;

    if (c->mapped_size < sizeof head)
        return "";
    memcpy(head, c->mapped, sizeof head);
    if (head[0] > (c->mapped_size - sizeof head) / sizeof entry)
        return "";
    path = c->mapped + sizeof head + head[0] * sizeof entry;
    for (uint64_t i = 0; i < head[0] && path < c->mapped + c->mapped_size; i++) {
        memcpy(entry, c->mapped + sizeof head + i * sizeof entry, sizeof entry);
        if (address >= entry[0] && address < entry[1]) {
            *offset = entry[2] * head[1] + (address - entry[0]);
            return path;
        }
        path += strlen(path) + 1;
    }
    return "";
}

/* A core does not say what was shared. */
static bool looks_shared(const char *path)
{
    return strncmp(path, "/dev/shm/", 9) == 0 || strncmp(path, "/SYSV", 5) == 0 ||
           strncmp(path, "/dev/zero", 9) == 0 || strncmp(path, "/memfd:", 7) == 0;
}

static unsigned hash(const char *path)
{
    unsigned h = 5381;

    while (*path != '\0')
        h = h * 33 + (unsigned char)*path++;
    return h | 1;
}

static void write_map(struct target *t, FILE *out, const Elf64_Phdr *s, const char *program)
{
    struct core *c = t->core;
    uint64_t offset = 0, ignored;
    const char *own = mapped_at(c, c->program_at, &ignored);
    const char *path = mapped_at(c, s->p_vaddr, &offset), *shown = path;
    bool is_program = program != NULL && own[0] != '\0' && strcmp(path, own) == 0;

    if (path[0] == '/' && !looks_shared(path)) {
        const struct core_file *f =
            file_of(c, path, s->p_vaddr - offset, is_program ? program : NULL);
        shown = f->opened != NULL ? f->opened : "";
    }
    fprintf(out, "%" PRIx64 "-%" PRIx64 " %c%c%c%c %" PRIx64 " 00:00 %u %s\n", s->p_vaddr,
            s->p_vaddr + s->p_memsz, (s->p_flags & PF_R) != 0 ? 'r' : '-',
            (s->p_flags & PF_W) != 0 ? 'w' : '-', (s->p_flags & PF_X) != 0 ? 'x' : '-',
            looks_shared(path) ? 's' : 'p', offset, path[0] != '\0' ? hash(path) : 0, shown);
}

static bool is_segment(const Elf64_Phdr *all, size_t count, uint64_t begin, uint64_t end)
{
    for (size_t i = 0; i < count; i++)
        if (begin < all[i].p_vaddr + all[i].p_memsz && end > all[i].p_vaddr)
            return true;
    return false;
}

static int by_address(const void *a, const void *b)
{
    const Elf64_Phdr *x = a, *y = b;

    return x->p_vaddr < y->p_vaddr ? -1 : x->p_vaddr > y->p_vaddr;
}

/* The segments, and what was mapped and is not in the core, as gdb leaves out unchanged code. */
static Elf64_Phdr *all_mappings(const struct core *c, size_t *count)
{
    uint64_t head[2] = {0}, entry[3];
    Elf64_Phdr *all;

    *count = c->segment_count;
    if (c->mapped_size >= sizeof head)
        memcpy(head, c->mapped, sizeof head);
    if (head[0] > c->mapped_size / sizeof entry)
        head[0] = 0;
    all = must(calloc(c->segment_count + head[0] + 1, sizeof *all));
    memcpy(all, c->segments, c->segment_count * sizeof *all);
    for (uint64_t i = 0; i < head[0]; i++) {
        memcpy(entry, c->mapped + sizeof head + i * sizeof entry, sizeof entry);
        if (entry[1] > entry[0] && !is_segment(c->segments, c->segment_count, entry[0], entry[1]))
            all[(*count)++] = (Elf64_Phdr){
                .p_vaddr = entry[0], .p_memsz = entry[1] - entry[0], .p_flags = PF_R | PF_X};
    }
    qsort(all, *count, sizeof *all, by_address);
    return all;
}

static void write_maps(struct target *t, const char *program)
{
    size_t size, count;
    FILE *out = must(open_memstream(&t->maps_text, &size));
    Elf64_Phdr *all = all_mappings(t->core, &count);

    for (size_t i = 0; i < count; i++)
        write_map(t, out, &all[i], program);
    fclose(out);
    free(all);
}

/* --- Opening ---------------------------------------------------------------------------------- */

static const char *read_head(struct core *c, Elf64_Ehdr *head, uint64_t *count)
{
    Elf64_Shdr first;

    if (!read_at(c->fd, 0, head, sizeof *head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
        return "not a core file (one that is packed has to be unpacked first; of systemd: "
               "coredumpctl dump -o FILE)";
    if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB)
        return "of a 32-bit or big-endian program, which is not supported";
    if (head->e_type != ET_CORE)
        return "not a core file, but a program or a library";
    if (head->e_machine != EM_X86_64 && head->e_machine != EM_AARCH64)
        return "of another machine than x86-64 and AArch64";
    c->machine = head->e_machine;
    *count = head->e_phnum;
    if (head->e_phnum == PN_XNUM) {
        if (!read_at(c->fd, head->e_shoff, &first, sizeof first))
            return "truncated";
        *count = first.sh_info;
    }
    return *count > SEGMENTS_MAX || head->e_phentsize != sizeof(Elf64_Phdr) ? "corrupt" : NULL;
}

static const char *read_segments(struct target *t)
{
    struct core *c = t->core;
    Elf64_Ehdr head;
    uint64_t count;
    const char *why = read_head(c, &head, &count);

    if (why != NULL)
        return why;
    c->segments = must(calloc(count + 1, sizeof *c->segments));
    for (uint64_t i = 0; i < count; i++) {
        Elf64_Phdr *s = &c->segments[c->segment_count];
        if (!read_at(c->fd, head.e_phoff + i * sizeof *s, s, sizeof *s))
            return "truncated";
        if (s->p_type == PT_LOAD) {
            c->segment_count++;
        } else if (s->p_type == PT_NOTE && s->p_filesz <= NOTES_MAX) {
            char *notes = must(malloc(s->p_filesz + 1));
            if (read_at(c->fd, s->p_offset, notes, s->p_filesz))
                read_notes(t, notes, s->p_filesz);
            free(notes);
        }
    }
    return c->thread_count == 0 ? "truncated: it has no threads" : NULL;
}

bool core_open(struct target *t, const char *file, const char *program, char *why, size_t size)
{
    const char *trouble;
    char *whole = program != NULL ? realpath(program, NULL) : NULL;

    *t = (struct target){.memory = -1, .core = must(calloc(1, sizeof *t->core))};
    t->core->fd = open(file, O_RDONLY | O_CLOEXEC);
    trouble = t->core->fd < 0 ? strerror(errno) : read_segments(t);
    if (trouble == NULL && program != NULL && (whole == NULL || !locations_is_elf(whole)))
        trouble = "the program given for it cannot be read, or is no program";
    if (trouble != NULL) {
        snprintf(why, size, "%s", trouble);
        free(whole);
        target_close(t);
        return false;
    }
    if (t->pid == 0)
        t->pid = t->core->threads[0].tid;
    write_maps(t, whole);
    free(whole);
    target_read_maps(t);
    t->unwinder = unwinder_open(t);
    return true;
}

void core_close(struct core *c)
{
    for (size_t i = 0; i < c->file_count; i++) {
        if (c->files[i].fd >= 0)
            close(c->files[i].fd);
        free(c->files[i].opened);
    }
    if (c->fd >= 0)
        close(c->fd);
    free(c->files);
    free(c->segments);
    free(c->threads);
    free(c->mapped);
    free(c);
}
