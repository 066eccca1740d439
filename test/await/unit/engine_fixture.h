/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ENGINE_FIXTURE_H
#define FW_TEST_ENGINE_FIXTURE_H

#include <stdint.h>

#include "await/engine.h"
#include "test/support/unit.h"

enum { MANY = 300, SLICE_NS = 10000000, SLICES = 6000 };

/* The engine that is open, words and a wait for each. */
extern struct fw_engine_ *engine;
extern uint32_t words[MANY];
extern struct fw_kernel_wait_ waits[MANY];

void open_engine(uint32_t which);
void arm(unsigned i, uint32_t expected);

/* Wakes one sleeper of the i-th word: when it sleeps. */
void wake(unsigned i);

/* Takes what comes back until n have; what each was told. */
void take(unsigned n, uint8_t *told);
enum fw_wait_told_ take_first(void);

/* The engine that is open tells of a wake. */
void tells_of_a_wake(void);

/* All tests, each with an engine of its own. */
void engine_passes_all(uint32_t which);

#endif
