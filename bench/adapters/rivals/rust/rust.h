/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_RUST_H
#define FW_ADAPTERS_RUST_H

#include <stdbool.h>
#include <stdint.h>

/* The C face of this crate.  The sizes are asserted on the other side. */
struct rust_std {
    uint64_t opaque[4];
};

void rust_std_init(struct rust_std *l);
void rust_std_lock(struct rust_std *l);
bool rust_std_trylock(struct rust_std *l);
void rust_std_unlock(struct rust_std *l);
void rust_std_loop(struct rust_std *l, uint64_t n);

struct rust_parking_lot {
    uint64_t opaque;
};

void rust_parking_lot_init(struct rust_parking_lot *l);
void rust_parking_lot_lock(struct rust_parking_lot *l);
bool rust_parking_lot_trylock(struct rust_parking_lot *l);
bool rust_parking_lot_lock_for(struct rust_parking_lot *l, uint64_t ns);
void rust_parking_lot_unlock(struct rust_parking_lot *l);
void rust_parking_lot_loop(struct rust_parking_lot *l, uint64_t n);

struct rust_parking_rw {
    uint64_t opaque;
};

void rust_parking_rw_init(struct rust_parking_rw *l);
void rust_parking_rw_rdlock(struct rust_parking_rw *l);
void rust_parking_rw_rdunlock(struct rust_parking_rw *l);
void rust_parking_rw_wrlock(struct rust_parking_rw *l);
void rust_parking_rw_wrunlock(struct rust_parking_rw *l);
bool rust_parking_rw_tryrdlock(struct rust_parking_rw *l);
bool rust_parking_rw_trywrlock(struct rust_parking_rw *l);
bool rust_parking_rw_rdlock_for(struct rust_parking_rw *l, uint64_t ns);
bool rust_parking_rw_wrlock_for(struct rust_parking_rw *l, uint64_t ns);
void rust_parking_rw_rdloop(struct rust_parking_rw *l, uint64_t n);
void rust_parking_rw_wrloop(struct rust_parking_rw *l, uint64_t n);

struct rust_parking_cond {
    uint64_t opaque[4];
};

void rust_parking_cond_init(struct rust_parking_cond *p);
void rust_parking_cond_lock(struct rust_parking_cond *p);
void rust_parking_cond_unlock(struct rust_parking_cond *p);
void rust_parking_cond_wait(struct rust_parking_cond *p);
bool rust_parking_cond_wait_for(struct rust_parking_cond *p, uint64_t ns);
void rust_parking_cond_signal(struct rust_parking_cond *p);
void rust_parking_cond_broadcast(struct rust_parking_cond *p);

#endif
