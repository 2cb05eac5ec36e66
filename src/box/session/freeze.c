#include "box/session/freeze.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/fs.h"
#include "common/paths.h"
#include "sys/clock.h"
#include "sys/debug.h"
#include "sys/descriptors.h"

/* Below the runtime folder: what is frozen does not outlive the machine. Never removed, as it is a
 * lock; empty when nothing is frozen. */
#define RECORD ".frozen"
#define RECORD_MAX 65536
#define BOXES_MAX 64
/* The kernel stops a process at its next step; one that waits for a disk takes longer. */
#define STOPS_MS 500
/* More than any limit. */
#define WAIT_MS 15000

struct freeze {
    int record;        /* the open file, locked */
    int line;          /* ends with this process */
    pid_t holder;      /* the process that thaws */
    GPtrArray *groups; /* of char *: what is frozen */
    int freezers[BOXES_MAX];
    gint64 begun;
};

/* Nothing can be done about a failure: it has gone, or the next command tries again. */
static void write_state(int freezer, const char *state)
{
    ssize_t written = write(freezer, state, 1);
    (void)written;
}

static void clear_record(int record)
{
    int status = ftruncate(record, 0);
    (void)status;
}

static void thaw(const freeze *self)
{
    for (guint i = 0; i < self->groups->len; i++)
        write_state(self->freezers[i], "0");
    clear_record(self->record);
}

/* The process of its own. libc only. Its exit status is 0 when the line has ended in time. */
static _Noreturn void hold(const freeze *self, int line, int limit_ms)
{
    int keep[BOXES_MAX + 2] = {line, self->record};
    struct pollfd end = {.fd = line};
    gint64 until = clock_ms() + limit_ms;
    int left = limit_ms, ended = 0;
    memcpy(keep + 2, self->freezers, self->groups->len * sizeof(int));
    descriptors_keep(keep, self->groups->len + 2);
    /* Ctrl-C is for the other one, which ends the line. */
    setsid();
    prctl(PR_SET_NAME, "box-freeze");
    while (ended <= 0 && left > 0) {
        ended = poll(&end, 1, left);
        left = (int)(until - clock_ms());
    }
    thaw(self);
    _exit(ended > 0 ? 0 : 1);
}

static gboolean start_holder(freeze *self, int limit_ms)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return FALSE;
    self->holder = fork();
    if (self->holder == 0) {
        close(ends[1]);
        hold(self, ends[0], limit_ms);
    }
    close(ends[0]);
    self->line = ends[1];
    return self->holder > 0;
}

static void freeze_free(freeze *self)
{
    for (guint i = 0; i < self->groups->len; i++)
        close(self->freezers[i]);
    g_ptr_array_unref(self->groups);
    if (self->line >= 0)
        close(self->line);
    if (self->record >= 0)
        close(self->record);
    g_free(self);
}

/* FALSE: one of INITS is in no cgroup that we may freeze. */
static gboolean find_groups(freeze *self, const GArray *inits)
{
    for (guint i = 0; i < inits->len; i++) {
        pid_t init = g_array_index(inits, pid_t, i);
        if (cgroup_is_frozen(init))
            continue;
        g_autofree char *group = cgroup_of_container(init);
        int freezer = group && self->groups->len < BOXES_MAX ? cgroup_open_freezer(group) : -1;
        if (freezer < 0)
            return FALSE;
        self->freezers[self->groups->len] = freezer;
        g_ptr_array_add(self->groups, g_steal_pointer(&group));
    }
    return TRUE;
}

/* With the lock of the record RECORD. */
static void thaw_recorded(int record)
{
    char text[RECORD_MAX];
    ssize_t length = pread(record, text, sizeof text - 1, 0);
    text[MAX(length, 0)] = '\0';
    g_auto(GStrv) groups = g_strsplit(text, "\n", -1);
    for (char **group = groups; *group; group++) {
        int freezer = **group ? cgroup_open_freezer(*group) : -1;
        if (freezer < 0)
            continue;
        debug_log(DEBUG_BOX, "a killed command has left '%s' frozen", *group);
        write_state(freezer, "0");
        close(freezer);
    }
    clear_record(record);
}

/* FALSE also when a killed process has left something frozen, which is thawed: until the kernel has
 * done that, it looks as if the user had paused it. */
static gboolean lock_record(freeze *self)
{
    struct stat st;
    g_autofree char *path = paths_runtime(RECORD, NULL);
    self->record = path ? fs_lock(path, NULL, NULL) : -1;
    if (self->record < 0 || fstat(self->record, &st) < 0)
        return FALSE;
    if (st.st_size > 0)
        thaw_recorded(self->record);
    return st.st_size == 0;
}

static gboolean write_record(freeze *self)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < self->groups->len; i++)
        g_string_append_printf(text, "%s\n", (char *)self->groups->pdata[i]);
    gboolean done = text->len < RECORD_MAX &&
                    pwrite(self->record, text->str, text->len, 0) == (ssize_t)text->len;
    g_string_free(text, TRUE);
    return done;
}

static gboolean await_stop(const freeze *self)
{
    for (guint i = 0; i < self->groups->len; i++)
        while (!cgroup_has_frozen(self->groups->pdata[i])) {
            if (clock_ms() - self->begun > STOPS_MS)
                return FALSE;
            g_usleep(500);
        }
    return TRUE;
}

freeze *freeze_begin(const GArray *inits, int limit_ms)
{
    freeze *self = g_new0(freeze, 1);
    self->line = self->record = -1;
    self->groups = g_ptr_array_new_with_free_func(g_free);
    if (!lock_record(self) || !find_groups(self, inits) || !write_record(self) ||
        !start_holder(self, limit_ms)) {
        if (self->record >= 0)
            clear_record(self->record);
        freeze_free(self);
        return NULL;
    }
    self->begun = clock_ms();
    for (guint i = 0; i < self->groups->len; i++)
        write_state(self->freezers[i], "1");
    if (await_stop(self))
        return self;
    freeze_end(self);
    return NULL;
}

gboolean freeze_end(freeze *self)
{
    int status = -1;
    if (!self)
        return FALSE;
    close(self->line);
    self->line = -1;
    while (waitpid(self->holder, &status, 0) < 0 && errno == EINTR)
        ;
    gboolean held = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    /* It was killed. */
    if (WIFSIGNALED(status))
        thaw(self);
    debug_log(DEBUG_BOX, "%u cgroups frozen for %d ms%s", self->groups->len,
              (int)(clock_ms() - self->begun), held ? "" : ", of which not the last part");
    freeze_free(self);
    return held;
}

/* TRUE while something is frozen by this module. */
static gboolean is_recorded(const char *path)
{
    struct stat st;
    return path && stat(path, &st) == 0 && st.st_size > 0;
}

void freeze_repair(void)
{
    g_autofree char *path = paths_runtime(RECORD, NULL);
    int record = is_recorded(path) ? fs_try_lock(path) : -1;
    if (record < 0)
        return;
    thaw_recorded(record);
    close(record);
}

gboolean freeze_is_paused(pid_t init)
{
    g_autofree char *path = paths_runtime(RECORD, NULL);
    gint64 until = clock_ms() + WAIT_MS;
    while (cgroup_is_frozen(init)) {
        if (!is_recorded(path) || clock_ms() > until)
            /* It may have been thawed between the two looks. */
            return cgroup_is_frozen(init);
        freeze_repair();
        g_usleep(2000);
    }
    return FALSE;
}
