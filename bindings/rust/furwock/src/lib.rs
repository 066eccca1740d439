// SPDX-License-Identifier: MIT
//! Futex-based locks for Linux that fit [`lock_api`].
#![cfg_attr(not(feature = "std"), no_std)]

mod deadline;
#[cfg(feature = "std")]
pub mod ipc;
mod mutex;

pub use mutex::{MappedMutexGuard, Mutex, MutexGuard, RawMutex};
