// SPDX-License-Identifier: MIT
//! parking_lot's own tests, which build.rs has cut out of its source.
#![allow(unused_imports, dead_code, clippy::all, clippy::undocumented_unsafe_blocks)]

include!(concat!(env!("OUT_DIR"), "/parking_lot.rs"));
