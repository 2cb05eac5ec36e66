/* Looks through all of another process' memory for bytes that should not be there. */
#pragma once

#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes of each that is looked for. */
#define NEEDLE 24

typedef struct {
    guint found;      /* needles in all of the memory */
    guint dumped;     /* of these, where a core dump would have them */
    guint not_locked; /* and where they could be swapped out */
} scan_result;

static inline guint count_in(int memory, guint64 from, guint64 to, const GPtrArray *needles)
{
    gsize length = to - from;
    g_autofree guint8 *bytes = g_malloc(length);
    guint found = 0;
    gssize got = pread(memory, bytes, length, (off_t)from);
    for (guint i = 0; got > 0 && i < needles->len; i++) {
        const guint8 *at = memmem(bytes, (gsize)got, needles->pdata[i], NEEDLE);
        if (at)
            g_test_message("needle %u at %#" G_GINT64_MODIFIER "x", i, from + (at - bytes));
        found += at != NULL;
    }
    return found;
}

/* Reads all mappings of PID; those of gigabytes belong to sanitizers and are not there in full. */
static inline scan_result memory_scan(GPid pid, const GPtrArray *needles)
{
    g_autofree char *maps_path = g_strdup_printf("/proc/%d/smaps", pid);
    g_autofree char *memory_path = g_strdup_printf("/proc/%d/mem", pid);
    int memory = open(memory_path, O_RDONLY | O_CLOEXEC);
    FILE *maps = fopen(maps_path, "re");
    scan_result all = {0};
    guint64 from = 0, to = 0, first;
    char line[512], mode[8] = "";

    g_assert_true(memory >= 0 && maps);
    while (fgets(line, sizeof line, maps)) {
        /* "Anonymous:" begins with a hexadecimal digit, too. */
        if (sscanf(line, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %4s ", &first, &to,
                   mode) == 3) {
            from = first;
            continue;
        }
        if (!g_str_has_prefix(line, "VmFlags:") || mode[0] != 'r' || to - from > (1u << 30))
            continue;
        guint found = count_in(memory, from, to, needles);
        all.found += found;
        all.dumped += strstr(line, " dd") ? 0 : found;
        all.not_locked += strstr(line, " lo") ? 0 : found;
    }
    fclose(maps);
    close(memory);
    return all;
}
