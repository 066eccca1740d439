/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RUN_ELF_FILE_H
#define FW_COMMAND_RUN_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * What the loader reads in an executable or a library of 64 bits.  The file may be anything, also
 * one made to mislead: every offset is checked before it is followed.
 */
struct run_elf {
    const unsigned char *bytes; /* the file, mapped for reading */
    size_t size;
    const Elf64_Ehdr *head;  /* NULL: it is no ELF file, or one of 32 bits or another byte order */
    const Elf64_Dyn *tables; /* the dynamic section; NULL: none */
    size_t table_count;
    const char *strings; /* its names */
    size_t string_bytes;
};

/* 0, or an errno value.  A file that is no ELF file is opened, too. */
int run_elf_open(struct run_elf *e, const char *path);
void run_elf_close(struct run_elf *e);

/* Does the file begin as an ELF file, of whatever kind? */
bool run_elf_is_elf(const struct run_elf *e);

/* The loader, or NULL: the kernel starts it without one. */
const char *run_elf_loader(const struct run_elf *e);

/* The first library that it needs whose name begins so, or NULL. */
const char *run_elf_needs(const struct run_elf *e, const char *prefix);

/* Does it define this function itself, for others to use?  No, where its symbols are laid out in
 * another order than linkers have. */
bool run_elf_has(const struct run_elf *e, const char *name);

/* Does it define this version of its symbols? */
bool run_elf_defines(const struct run_elf *e, const char *version);

/* The first version that `e` cannot do without, of this library, and that `of` lacks; or NULL. */
const char *run_elf_lacks(const struct run_elf *e, const char *library, const struct run_elf *of);

#endif
