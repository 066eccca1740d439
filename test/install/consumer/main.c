/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>

#include <furwock.h>

static fw_mutex mutex = FW_MUTEX_INIT;

int main(void)
{
    fw_mutex_lock(&mutex);
    if (fw_mutex_trylock(&mutex) != EBUSY)
        return 1;
    fw_mutex_unlock(&mutex);
    puts("furwock is ready");
    return 0;
}
