// SPDX-License-Identifier: MIT
//! Nothing but tests: furwock's futures in the runtimes that people use.
