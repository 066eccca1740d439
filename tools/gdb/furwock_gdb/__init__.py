# SPDX-License-Identifier: MIT
"""Pretty-printers of gdb for furwock's locks: who holds them, and who waits.

They need the debug information of the program, not of the library, and read memory only, so that
core files do.  What the words mean is in the headers that the modules name: these printers are of
the same version as the library.
"""
