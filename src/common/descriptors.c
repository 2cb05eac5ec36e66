#include "common/descriptors.h"

#include <stdlib.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

void descriptors_keep(int *keep, size_t count)
{
    unsigned from = 0;
    qsort(keep, count, sizeof *keep, compare);
    for (size_t i = 0; i < count; i++) {
        if (keep[i] < 0)
            continue;
        if ((unsigned)keep[i] > from)
            close_range(from, (unsigned)keep[i] - 1, 0);
        from = (unsigned)keep[i] + 1;
    }
    close_range(from, ~0u, 0);
}
