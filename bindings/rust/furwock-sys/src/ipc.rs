// SPDX-License-Identifier: MIT
//! Locks between processes: `include/furwock/ipc/`.
