# SPDX-License-Identifier: MIT
"""Programs that tools/hot-locks runs under load."""
