// SPDX-License-Identifier: MIT
/* What fw_in_std.hpp includes, for the tests of the standard library's own classes. */
#include <bits/stdc++.h>
