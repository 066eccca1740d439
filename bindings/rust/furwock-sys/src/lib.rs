// SPDX-License-Identifier: MIT
//! Declarations of the C library [furwock](https://docs.rs/furwock), which this crate compiles
//! from its own copy of the sources.
//!
//! Each function and type is what the C header of the same name says: `include/furwock/mutex.h`
//! for [`fw_mutex`], and so on; the headers are part of this crate, in `csrc/include`.  The crate
//! `furwock` has the safe interface.
//!
//! With the feature `system` an installed library is linked (`pkg-config furwock`).
#![no_std]
#![allow(non_camel_case_types, non_snake_case)] // the names of C

pub mod ipc;
mod note;
mod task;
mod thread;
mod time;

pub use note::*;
pub use task::*;
pub use thread::*;
pub use time::*;
