/* SPDX-License-Identifier: MIT */
/* Reading ELF files, as elf(5) and the generic ABI have them.  Contract: elf_file.h. */
#include "elf_file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_ORDER (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB)

static const void *at(const struct run_elf *e, uint64_t offset, uint64_t count, size_t size,
                      size_t alignment)
{
    if (offset > e->size || count > (e->size - offset) / size || offset % alignment != 0)
        return NULL;
    return e->bytes + offset;
}

/* That many of the type at that offset of the file, or NULL if they are not all there. */
#define AT(e, offset, count, type) \
    ((const type *)at(e, offset, count, sizeof(type), _Alignof(type)))

static const Elf64_Phdr *segment(const struct run_elf *e, unsigned i)
{
    const Elf64_Ehdr *h = e->head;

    if (h == NULL || i >= h->e_phnum || h->e_phentsize != sizeof(Elf64_Phdr))
        return NULL;
    return AT(e, h->e_phoff + i * sizeof(Elf64_Phdr), 1, Elf64_Phdr);
}

static const Elf64_Phdr *find_segment(const struct run_elf *e, uint32_t type)
{
    const Elf64_Phdr *s;

    for (unsigned i = 0; (s = segment(e, i)) != NULL; i++)
        if (s->p_type == type)
            return s;
    return NULL;
}

/* Where in the file the byte is that will be at this address; its size: it is nowhere. */
static uint64_t offset_of(const struct run_elf *e, uint64_t address)
{
    const Elf64_Phdr *s;

    for (unsigned i = 0; (s = segment(e, i)) != NULL; i++)
        if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
            return s->p_offset + (address - s->p_vaddr);
    return e->size;
}

static uint64_t table(const struct run_elf *e, int64_t tag)
{
    for (size_t i = 0; i < e->table_count && e->tables[i].d_tag != DT_NULL; i++)
        if (e->tables[i].d_tag == tag)
            return e->tables[i].d_un.d_val;
    return 0;
}

static const char *string(const struct run_elf *e, uint64_t index)
{
    if (index >= e->string_bytes ||
        memchr(e->strings + index, '\0', e->string_bytes - index) == NULL)
        return NULL;
    return e->strings + index;
}

static void read_tables(struct run_elf *e)
{
    const Elf64_Phdr *s = find_segment(e, PT_DYNAMIC);
    uint64_t bytes;

    if (s == NULL)
        return;
    e->table_count = s->p_filesz / sizeof(Elf64_Dyn);
    e->tables = AT(e, s->p_offset, e->table_count, Elf64_Dyn);
    if (e->tables == NULL)
        e->table_count = 0;
    bytes = table(e, DT_STRSZ);
    if (offset_of(e, table(e, DT_STRTAB)) <= e->size &&
        bytes <= e->size - offset_of(e, table(e, DT_STRTAB))) {
        e->strings = (const char *)e->bytes + offset_of(e, table(e, DT_STRTAB));
        e->string_bytes = bytes;
    }
}

static int map(struct run_elf *e, int fd)
{
    struct stat s;
    void *bytes;

    if (fstat(fd, &s) != 0)
        return errno;
    if (!S_ISREG(s.st_mode) || s.st_size == 0)
        return 0;
    bytes = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return errno;
    e->bytes = bytes;
    e->size = (size_t)s.st_size;
    return 0;
}

int run_elf_open(struct run_elf *e, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;

    *e = (struct run_elf){0};
    if (fd < 0)
        return errno;
    error = map(e, fd);
    close(fd);
    if (error == 0 && run_elf_is_elf(e) && e->size >= sizeof(Elf64_Ehdr) &&
        e->bytes[EI_CLASS] == ELFCLASS64 && e->bytes[EI_DATA] == OWN_ORDER) {
        e->head = (const Elf64_Ehdr *)e->bytes;
        read_tables(e);
    }
    return error;
}

void run_elf_close(struct run_elf *e)
{
    if (e->bytes != NULL)
        munmap((void *)e->bytes, e->size);
    *e = (struct run_elf){0};
}

bool run_elf_is_elf(const struct run_elf *e)
{
    return e->size >= EI_NIDENT && memcmp(e->bytes, ELFMAG, SELFMAG) == 0;
}

const char *run_elf_loader(const struct run_elf *e)
{
    const Elf64_Phdr *s = find_segment(e, PT_INTERP);

    if (s == NULL || s->p_offset > e->size || s->p_filesz > e->size - s->p_offset ||
        memchr(e->bytes + s->p_offset, '\0', s->p_filesz) == NULL)
        return NULL;
    return (const char *)e->bytes + s->p_offset;
}

const char *run_elf_needs(const struct run_elf *e, const char *prefix)
{
    for (size_t i = 0; i < e->table_count && e->tables[i].d_tag != DT_NULL; i++) {
        const char *name = string(e, e->tables[i].d_un.d_val);
        if (e->tables[i].d_tag == DT_NEEDED && name != NULL &&
            strncmp(name, prefix, strlen(prefix)) == 0)
            return name;
    }
    return NULL;
}

/* The table does not say how long it is, but its names follow it. */
bool run_elf_has(const struct run_elf *e, const char *name)
{
    uint64_t first = table(e, DT_SYMTAB), end = table(e, DT_STRTAB);
    uint64_t count = end > first ? (end - first) / sizeof(Elf64_Sym) : 0;
    const Elf64_Sym *symbols = AT(e, offset_of(e, first), count, Elf64_Sym);

    for (uint64_t i = 0; symbols != NULL && i < count; i++) {
        const char *own = string(e, symbols[i].st_name);
        if (symbols[i].st_shndx != SHN_UNDEF && own != NULL && strcmp(own, name) == 0)
            return true;
    }
    return false;
}

bool run_elf_defines(const struct run_elf *e, const char *version)
{
    uint64_t offset = offset_of(e, table(e, DT_VERDEF)), left = table(e, DT_VERDEFNUM);

    for (; left > 0; left--) {
        const Elf64_Verdef *d = AT(e, offset, 1, Elf64_Verdef);
        const Elf64_Verdaux *first = d != NULL ? AT(e, offset + d->vd_aux, 1, Elf64_Verdaux) : NULL;
        const char *name = first != NULL ? string(e, first->vda_name) : NULL;
        if (name != NULL && strcmp(name, version) == 0)
            return true;
        if (d == NULL || d->vd_next == 0)
            return false;
        offset += d->vd_next;
    }
    return false;
}

/* Of one library, whose versions are chained from that offset on. */
static const char *lacks(const struct run_elf *e, uint64_t offset, unsigned count,
                         const struct run_elf *of)
{
    for (; count > 0; count--) {
        const Elf64_Vernaux *v = AT(e, offset, 1, Elf64_Vernaux);
        const char *name = v != NULL ? string(e, v->vna_name) : NULL;
        if (name != NULL && (v->vna_flags & VER_FLG_WEAK) == 0 && !run_elf_defines(of, name))
            return name;
        if (v == NULL || v->vna_next == 0)
            break;
        offset += v->vna_next;
    }
    return NULL;
}

const char *run_elf_lacks(const struct run_elf *e, const char *library, const struct run_elf *of)
{
    uint64_t offset = offset_of(e, table(e, DT_VERNEED)), left = table(e, DT_VERNEEDNUM);

    for (; left > 0; left--) {
        const Elf64_Verneed *n = AT(e, offset, 1, Elf64_Verneed);
        const char *file = n != NULL ? string(e, n->vn_file) : NULL;
        if (file != NULL && strcmp(file, library) == 0)
            return lacks(e, offset + n->vn_aux, n->vn_cnt, of);
        if (n == NULL || n->vn_next == 0)
            break;
        offset += n->vn_next;
    }
    return NULL;
}
