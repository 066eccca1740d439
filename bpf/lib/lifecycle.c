/* SPDX-License-Identifier: MIT */
#include "bpf/lib/lifecycle.h"

#include <stdio.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#define CLEARED "removed one that had ended"

/* ---- Start ---- */

fw_bpf_result fw_bpf_publish(const struct fw_bpf_pins *pins,
                             bool (*pin)(const void *what, const void *options, int fs),
                             const void *what, const void *options, const char *failure, char *text,
                             size_t size)
{
    int fs;
    fw_bpf_result result = fw_bpf_pins_new(&fs, text, size);

    if (result != FW_BPF_DONE)
        return result;
    libbpf_print_fn_t printer = libbpf_set_print(NULL);
    bool is_pinned = pin(what, options, fs);
    libbpf_set_print(printer);
    result = is_pinned ? fw_bpf_pins_put(pins, fs, text, size) : fw_bpf_failed(failure, text, size);
    close(fs);
    return result;
}

/* *cleared: was there one that had ended? */
static fw_bpf_result make_way(const struct fw_bpf_loader *loader, const struct fw_bpf_pins *pins,
                              bool *cleared, char *text, size_t size)
{
    bool was_live;
    int fs;
    fw_bpf_result result = fw_bpf_pins_mounted(pins, &fs, text, size);

    *cleared = false;
    if (result != FW_BPF_DONE || fs < 0)
        return result;
    result = loader->check(fs, text, size);
    if (result == FW_BPF_DONE) {
        result = loader->clear(pins, fs, &was_live, text, size);
        *cleared = true;
    }
    close(fs);
    return result;
}

fw_bpf_result fw_bpf_start(const struct fw_bpf_loader *loader, const void *options, char *text,
                           size_t size)
{
    struct fw_bpf_pins pins = loader->pins;
    bool cleared;

    if (!fw_bpf_may_load())
        return fw_bpf_not_permitted(text, size);

    fw_bpf_result result = fw_bpf_pins_open(&pins, true, text, size);
    if (result != FW_BPF_DONE)
        return result;
    result = make_way(loader, &pins, &cleared, text, size);
    if (result == FW_BPF_DONE)
        result = loader->load(&pins, options, cleared ? CLEARED ", and " : "", text, size);
    fw_bpf_pins_close(&pins);
    return result;
}

/* ---- Stop ---- */

static fw_bpf_result stop(const struct fw_bpf_loader *loader, const struct fw_bpf_pins *pins,
                          char *text, size_t size)
{
    bool was_live;
    int fs;
    fw_bpf_result result = fw_bpf_pins_mounted(pins, &fs, text, size);

    if (result != FW_BPF_DONE)
        return result;
    if (fs < 0)
        return FW_BPF_NOTHING_TO_DO;
    result = loader->clear(pins, fs, &was_live, text, size);
    if (result == FW_BPF_DONE)
        snprintf(text, size, "%s", was_live ? "stopped" : CLEARED);
    close(fs);
    return result;
}

fw_bpf_result fw_bpf_stop(const struct fw_bpf_loader *loader, char *text, size_t size)
{
    struct fw_bpf_pins pins = loader->pins;

    if (!fw_bpf_may_load())
        return fw_bpf_not_permitted(text, size);

    fw_bpf_result result = fw_bpf_pins_open(&pins, false, text, size);
    if (result == FW_BPF_DONE) {
        result = stop(loader, &pins, text, size);
        fw_bpf_pins_close(&pins);
    }
    if (result == FW_BPF_NOTHING_TO_DO)
        snprintf(text, size, "it does not run");
    return result;
}
