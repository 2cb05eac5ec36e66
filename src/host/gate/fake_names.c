#include "host/gate/fake_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/network_rules.h"

/* The first addresses are for servers of ours. */
#define FIRST (FAKE_NETWORK + 256)
/* A power of two, so large that half of it stays free. */
#define BUCKETS (2 * FAKE_NAMES_MAX)

static char *names[FAKE_NAMES_MAX];
static unsigned name_count;
static uint16_t buckets[BUCKETS]; /* index + 1 of a name; 0: free */
static int file = -1;

/* FNV-1a. A box may choose names that collide: it then waits for its own answers. */
static uint32_t hash(const char *name)
{
    uint32_t value = 2166136261u;
    for (; *name; name++)
        value = (value ^ (uint8_t)*name) * 16777619u;
    return value;
}

/* The bucket of NAME, or the free one where it would be. */
static unsigned find_bucket(const char *name)
{
    unsigned at = hash(name) % BUCKETS;
    while (buckets[at] && strcmp(names[buckets[at] - 1], name) != 0)
        at = (at + 1) % BUCKETS;
    return at;
}

/* COPY is malloc'ed. The bucket AT is the free one of its name. */
static void insert(unsigned at, char *copy)
{
    names[name_count++] = copy;
    buckets[at] = (uint16_t)name_count;
}

static int load_name(const char *name)
{
    unsigned at = find_bucket(name);
    char *copy = buckets[at] || name_count == FAKE_NAMES_MAX ? NULL : strdup(name);
    if (copy)
        insert(at, copy);
    return copy ? 0 : -1;
}

/* Reads complete lines. A last one that is cut off was never answered with, and is removed. */
static int load(FILE *stream)
{
    char line[HOST_NAME_SIZE + 1], name[HOST_NAME_SIZE];
    off_t good = 0;
    while (fgets(line, sizeof line, stream)) {
        size_t length = strlen(line);
        if (line[length - 1] != '\n')
            break;
        if (host_name_normalise(line, length - 1, name) < 0 || load_name(name) < 0) {
            errno = EBADMSG;
            return -1;
        }
        good += (off_t)length;
    }
    if (ferror(stream))
        return -1;
    struct stat st;
    if (fstat(file, &st) < 0)
        return -1;
    if (st.st_size - good > HOST_NAME_SIZE) {
        errno = EBADMSG;
        return -1;
    }
    return ftruncate(file, good);
}

int fake_names_open(const char *path)
{
    file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    int copy = file < 0 ? -1 : dup(file);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "r");
    if (!stream)
        return -1;
    int status = load(stream), saved = errno;
    fclose(stream);
    errno = saved;
    return status;
}

/* Appends NAME to the file, all of it or nothing. */
static int append(const char *name)
{
    char line[HOST_NAME_SIZE + 1];
    int length = snprintf(line, sizeof line, "%s\n", name);
    off_t before = lseek(file, 0, SEEK_END);
    if (write(file, line, (size_t)length) == length)
        return 0;
    int saved = errno;
    if (before < 0 || ftruncate(file, before) < 0)
        abort(); /* the next start repairs the file */
    errno = saved;
    return -1;
}

uint32_t fake_names_address(const char *name, bool is_exact)
{
    unsigned most = is_exact ? FAKE_NAMES_MAX : FAKE_NAMES_MAX - FAKE_NAMES_RESERVED;
    unsigned at = find_bucket(name);
    if (buckets[at])
        return FIRST + buckets[at] - 1u;
    errno = ENOSPC;
    char *copy = name_count >= most ? NULL : strdup(name);
    if (!copy || append(name) < 0) {
        free(copy);
        return 0;
    }
    insert(at, copy);
    return FIRST + name_count - 1u;
}

const char *fake_names_find(uint32_t address)
{
    return address - FIRST < name_count ? names[address - FIRST] : NULL;
}
