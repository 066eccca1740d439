/* SPDX-License-Identifier: MIT */
/* Part of the build: link OUTPUT INPUT...  Links compiled .bpf.c files into one object. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int die(const char *what, int error)
{
    fprintf(stderr, "link: %s: %s\n", what, strerror(error));
    return 1;
}

int main(int argc, char **argv)
{
    struct bpf_linker *linker;
    int error;

    if (argc < 3) {
        fprintf(stderr, "usage: link OUTPUT INPUT...\n");
        return 2;
    }
    libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
    linker = bpf_linker__new(argv[1], NULL);
    if (linker == NULL)
        return die(argv[1], EINVAL);
    for (int i = 2; i < argc; i++)
        if ((error = bpf_linker__add_file(linker, argv[i], NULL)) != 0)
            return die(argv[i], -error);
    error = bpf_linker__finalize(linker);
    return error != 0 ? die(argv[1], -error) : 0;
}
