/* SPDX-License-Identifier: MIT */
#include <furwock.h>
#include <stdio.h>

int main(void)
{
    static fw_mutex m = FW_MUTEX_INIT;

    fw_mutex_lock(&m);
    fw_mutex_unlock(&m);
    return puts("furwock is ready") < 0;
}
