// SPDX-License-Identifier: MIT
//! Robust locks in memory that processes share.
