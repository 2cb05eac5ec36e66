#include "cli/commands/show.h"

#include <stdio.h>
#include <string.h>

#include "box/lifecycle/container_diff.h"
#include "box/registry/registry.h"
#include "box/snapshot/manifest.h"
#include "common/text.h"
#include "common/units.h"
#include "console/log.h"
#include "console/output.h"

typedef void (*row_visitor)(void *data, const struct box *of, guint number,
                            const snapshot_header *header);

static void visit_box(const struct box *of, row_visitor visit, void *data)
{
    g_autoptr(GArray) numbers = snapshot_numbers(of);
    for (guint i = 0; i < numbers->len; i++) {
        g_autoptr(GError) problem = NULL;
        snapshot_header header;
        guint number = g_array_index(numbers, guint, i);
        if (!snapshot_read_header(of, number, &header, &problem)) {
            log_warning("%s", problem->message);
            continue;
        }
        visit(data, of, number, &header);
        snapshot_header_clear(&header);
    }
}

static void visit_boxes(char *const *names, row_visitor visit, void *data)
{
    for (; *names; names++) {
        g_autoptr(box) of = registry_by_name(*names, NULL);
        if (of)
            visit_box(of, visit, data);
    }
}

static json_t *sum_json(const snapshot_header *header, enum snapshot_part part)
{
    const snapshot_sum *sum = &header->sum[part];
    return header->has[part]
               ? json_pack("{s:o, s:o, s:o, s:o}", "files", json_count((gint64)sum->entries),
                           "bytes", json_count((gint64)sum->bytes), "stored",
                           json_count((gint64)sum->stored), "left_out",
                           json_count((gint64)sum->left_out))
               : json_null();
}

static json_t *system_json(const snapshot_header *header)
{
    char image[OBJECT_ID_TEXT], base[OBJECT_ID_TEXT];
    const snapshot_sum *sum = &header->sum[SNAPSHOT_SYSTEM];
    object_id_print(&header->image, image);
    object_id_print(&header->base, base);
    return header->has[SNAPSHOT_SYSTEM] ? json_pack("{s:s, s:s, s:o, s:o}", "image", image, "base",
                                                    base, "bytes", json_count((gint64)sum->bytes),
                                                    "stored", json_count((gint64)sum->stored))
                                        : json_null();
}

static json_t *header_json(const struct box *of, guint number, const snapshot_header *header)
{
    return json_pack("{s:i, s:s, s:o, s:s, s:b, s:b, s:o, s:o, s:o, s:o}", "number", (int)number,
                     "box", of->name, "time", json_time(header->time), "reason",
                     snapshot_reason_name(header->reason), "running", header->running, "consistent",
                     snapshot_header_is_consistent(header), "note", json_text(header->note), "home",
                     sum_json(header, SNAPSHOT_HOME), "project", sum_json(header, SNAPSHOT_PROJECT),
                     "system", system_json(header));
}

/* A row_visitor. */
static void add_snapshot_json(void *list, const struct box *of, guint number,
                              const snapshot_header *header)
{
    json_array_append_new(list, header_json(of, number, header));
}

static void add_part_size(table *out, const snapshot_header *header, enum snapshot_part part)
{
    g_autofree char *size = units_format_size((gint64)header->sum[part].bytes);
    table_add(out, header->has[part] ? size : "-");
}

/* A row_visitor. */
static void add_snapshot_row(void *out, const struct box *of, guint number,
                             const snapshot_header *header)
{
    gint64 now = g_get_real_time() / G_USEC_PER_SEC;
    guint64 stored = 0;
    for (int part = 0; part < SNAPSHOT_PARTS; part++)
        stored += header->sum[part].stored;
    g_autofree char *text = g_strdup_printf("%u", number);
    g_autofree char *age = units_format_duration(MAX(now - header->time, 0));
    g_autofree char *new = units_format_size((gint64)stored);
    table_add(out, text);
    table_add(out, of->name);
    table_add(out, age);
    table_add(out, snapshot_reason_name(header->reason));
    add_part_size(out, header, SNAPSHOT_HOME);
    add_part_size(out, header, SNAPSHOT_PROJECT);
    add_part_size(out, header, SNAPSHOT_SYSTEM);
    table_add(out, new);
    table_add(out, header->note);
}

void snapshot_show_list(char *const *names, gboolean as_json)
{
    static const char *const headings[] = {"NUMBER",  "BOX",    "AGE", "BY",   "HOME",
                                           "PROJECT", "SYSTEM", "NEW", "NOTE", NULL};
    if (as_json) {
        json_t *list = json_array();
        visit_boxes(names, add_snapshot_json, list);
        json_print(list);
        return;
    }
    g_autoptr(table) out = table_new(headings);
    visit_boxes(names, add_snapshot_row, out);
    if (table_is_empty(out))
        log_note("no snapshots yet; 'box snapshot create' makes one");
    else
        table_print(out);
}

static const char *kind_name(const snapshot_entry *entry)
{
    return entry->kind == SNAPSHOT_FILE     ? "file"
           : entry->kind == SNAPSHOT_FOLDER ? "folder"
                                            : "link";
}

static json_t *entry_json(const snapshot_entry *entry)
{
    gboolean is_file = entry->kind == SNAPSHOT_FILE;
    return json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:b}", "part",
                     snapshot_part_name((enum snapshot_part)entry->part), "path",
                     json_text(entry->path), "kind", kind_name(entry), "size",
                     json_count(is_file ? (gint64)entry->size : -1), "modified",
                     json_time(entry->mtime / 1000000000), "target", json_text(entry->target),
                     "changed", (entry->flags & SNAPSHOT_CHANGED) != 0);
}

static json_t *names_json(const snapshot_manifest *read)
{
    json_t *list = json_array();
    for (int part = 0; part < SNAPSHOT_PARTS; part++)
        for (guint i = 0; i < read->entries[part]->len; i++)
            json_array_append_new(
                list, entry_json(&g_array_index(read->entries[part], snapshot_entry, i)));
    return list;
}

static void print_file_names(const snapshot_manifest *read)
{
    for (int part = 0; part < SNAPSHOT_PARTS; part++)
        for (guint i = 0; i < read->entries[part]->len; i++) {
            const snapshot_entry *entry = &g_array_index(read->entries[part], snapshot_entry, i);
            g_autofree char *path = text_safe(entry->path, -1);
            g_autofree char *target = text_safe(entry->target, -1);
            printf("%s %s%s%s%s%s\n", snapshot_part_name((enum snapshot_part)part), path,
                   entry->kind == SNAPSHOT_FOLDER ? "/" : "",
                   entry->kind == SNAPSHOT_LINK ? " -> " : "", target,
                   entry->flags & SNAPSHOT_CHANGED ? "   (changed while it was read)" : "");
        }
}

static void print_sum(const snapshot_header *header, enum snapshot_part part)
{
    const snapshot_sum *sum = &header->sum[part];
    g_autofree char *size = units_format_size((gint64)sum->bytes);
    g_autofree char *new = units_format_size((gint64)sum->stored);
    if (!header->has[part])
        return;
    if (part == SNAPSHOT_SYSTEM) {
        char image[OBJECT_ID_TEXT];
        object_id_print(&header->image, image);
        printf("%-10s %s, of which %s were new on the disk, in image %.12s\n", "system", size, new,
               image);
        return;
    }
    printf("%-10s %" G_GUINT64_FORMAT " files and folders, %s, of which %s were new on the disk",
           snapshot_part_name(part), sum->entries, size, new);
    if (sum->left_out)
        printf("; %" G_GUINT64_FORMAT " left out", sum->left_out);
    putchar('\n');
}

static void print_header(const struct box *of, guint number, const snapshot_header *header)
{
    g_autofree char *time = units_format_time(header->time);
    g_autofree char *note = text_safe(header->note, -1);
    printf("%-10s %u of box '%s'\n", "snapshot", number, of->name);
    printf("%-10s %s%s\n", "made", time,
           !header->running ? ""
           : header->paused ? ", while the box ran, and was paused"
                            : ", while the box ran");
    printf("%-10s %s\n", "by", snapshot_reason_name(header->reason));
    if (*note)
        printf("%-10s %s\n", "note", note);
    for (int part = 0; part < SNAPSHOT_PARTS; part++)
        print_sum(header, (enum snapshot_part)part);
}

gboolean snapshot_show_one(const struct box *self, guint number, gboolean names, gboolean as_json,
                           GError **error)
{
    g_autoptr(snapshot_manifest) read = snapshot_read(self, number, error);
    if (!read)
        return FALSE;
    if (as_json) {
        json_t *value = header_json(self, number, &read->header);
        if (names)
            json_object_set_new(value, "names", names_json(read));
        json_print(value);
        return TRUE;
    }
    print_header(self, number, &read->header);
    if (names)
        print_file_names(read);
    return TRUE;
}

/* KIND is NULL where it is not known. */
static void print_snapshot_line(json_t *list, char change, const char *part, const char *path,
                                const char *kind)
{
    const char letter[] = {change, '\0'};
    g_autofree char *safe = text_safe(path, -1);
    if (list)
        json_array_append_new(list, json_pack("{s:s, s:o, s:s, s:o}", "part", part, "path",
                                              json_text(path), "change", letter, "kind",
                                              json_text(kind)));
    else
        printf("%s %s %s%s\n", letter, part, safe, g_strcmp0(kind, "folder") == 0 ? "/" : "");
}

/* What has changed in the container since its image was made. */
static gboolean print_system_changes(const struct box *self, const snapshot_header *header,
                                     podman_client *server, json_t *list, GError **error)
{
    static const char letters[] = {'M', 'A', 'D'};
    char image[OBJECT_ID_TEXT];
    object_id_print(&header->image, image);
    g_autoptr(box_container) now = box_container_inspect(self, server, error);
    if (now && now->state == BOX_MISSING)
        log_note("box '%s' has no container now", self->name);
    if (!now || now->state == BOX_MISSING)
        return now != NULL;
    g_autoptr(GPtrArray) changes =
        container_diff_list(self->container, server, now->inspect, image, error);
    for (guint i = 0; changes && i < changes->len; i++) {
        const container_change *change = changes->pdata[i];
        /* A folder that is there for what is in it. */
        if (change->kind < 0 || change->kind > 2 || (change->kind == 0 && change->has_others))
            continue;
        print_snapshot_line(list, letters[change->kind], "system", change->path + 1, NULL);
    }
    return changes != NULL;
}

static char change_letter(const snapshot_change *change)
{
    if (!change->before)
        return 'A';
    if (!change->after)
        return 'D';
    return change->before->kind == change->after->kind ? 'M' : 'T';
}

static void print_snapshot_change(const snapshot_change *change, json_t *list)
{
    const snapshot_entry *entry = change->after ? change->after : change->before;
    print_snapshot_line(list, change_letter(change),
                        snapshot_part_name((enum snapshot_part)entry->part), entry->path,
                        kind_name(entry));
}

gboolean snapshot_show_diff(const struct box *self, guint number, const snapshot_options *how,
                            gboolean as_json, GError **error)
{
    g_autoptr(snapshot_manifest) then = snapshot_read(self, number, error);
    g_autoptr(snapshot_manifest) now = then ? snapshot_now(self, how, error) : NULL;
    if (!now)
        return FALSE;
    json_t *list = as_json ? json_array() : NULL;
    gboolean done = !how->parts[SNAPSHOT_SYSTEM] ||
                    print_system_changes(self, &then->header, how->server, list, error);
    for (int part = 0; done && part < SNAPSHOT_SYSTEM; part++) {
        if (!how->parts[part])
            continue;
        g_autoptr(GArray) changes = snapshot_compare(then, now, (enum snapshot_part)part);
        for (guint i = 0; i < changes->len; i++)
            print_snapshot_change(&g_array_index(changes, snapshot_change, i), list);
    }
    if (done && as_json)
        json_print(list);
    else
        json_decref(list);
    return done;
}
