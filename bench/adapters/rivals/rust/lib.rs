// SPDX-License-Identifier: MIT
//! Locks of the Rust world with a C face, as rivals in tests and benchmarks (rust.h).

#[cfg(feature = "parking_lot")]
mod parking_lot_cond_face;
#[cfg(feature = "parking_lot")]
mod parking_lot_face;
#[cfg(feature = "parking_lot")]
mod parking_lot_rw_face;
mod std_face;
