#include "box/helpers/secrets.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "box/helpers/start.h"
#include "box/helpers/trust_files.h"
#include "common/fs.h"
#include "common/text.h"
#include "config/secret_file.h"
#include "console/log.h"
#include "host/supervisor/helper_start.h"
#include "plan/plan.h"
#include "proto/network_requests.h"
#include "proto/secret_files.h"
#include "sys/proc_stat.h"

#define KEY_SIZE 32
#define VARIABLES_MAX 256

/* A source may be a command that asks the user something. */
static const struct helper helper = {
    .name = "secrets", .program = "litterbox-secrets", .timeout_ms = 60000, .keeps_umask = TRUE};

static char *runtime_path(const struct box *self, const char *file)
{
    return g_build_filename(self->runtime, file, NULL);
}

static void remove_file(const struct box *self, const char *file)
{
    g_autofree char *path = runtime_path(self, file);
    unlink(path);
}

/* Of those that are attached: what can be read. A new list of secret_definition. */
static GPtrArray *read_definitions(const struct box *self)
{
    GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)secret_definition_free);
    g_autoptr(GError) broken = NULL;
    g_auto(GStrv) names = secrets_attached(self, &broken);
    if (broken)
        log_warning("%s", broken->message);
    for (char **name = names; name && *name; name++) {
        g_autoptr(GError) problem = NULL;
        secret_definition *read = secret_file_read(*name, &problem);
        if (read)
            g_ptr_array_add(list, read);
        else
            log_warning("%s", problem->message);
    }
    return list;
}

static void add_allow(GPtrArray *lines, const char *name, guint16 port)
{
    g_ptr_array_add(lines, port == HTTPS_PORT ? g_strdup_printf("allow %s", name)
                                              : g_strdup_printf("allow %s:%u", name, port));
}

void secrets_add_rules(const struct box *self, GPtrArray *lines)
{
    g_autoptr(GPtrArray) definitions = read_definitions(self);
    for (guint i = 0; i < definitions->len; i++) {
        const secret_definition *each = definitions->pdata[i];
        g_autofree char *base = secret_base_name(each);
        for (guint j = 0; j < each->hosts->len; j++) {
            const secret_host *host = &g_array_index(each->hosts, secret_host, j);
            add_allow(lines, host->name, host->port);
        }
        if (base)
            add_allow(lines, base, HTTP_PORT);
    }
}

/* What the gate and the helper read. */

/* TRUE when a secret of DEFINITIONS is for NAME and PORT. */
static gboolean has_secret(const GPtrArray *definitions, const char *name, guint16 port)
{
    for (guint i = 0; i < definitions->len; i++) {
        const secret_definition *each = definitions->pdata[i];
        for (guint j = 0; j < each->hosts->len; j++) {
            const secret_host *host = &g_array_index(each->hosts, secret_host, j);
            if (host->port == port && strcmp(host->name, name) == 0)
                return TRUE;
        }
    }
    return FALSE;
}

/* Other hosts whose rules have methods or paths, "NAME PORT" each: their TLS must end outside of
 * the box. HTTP on port 80 is read by the gate itself. */
static GPtrArray *read_checked(const struct box *self, const GPtrArray *definitions)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *path = runtime_path(self, NETWORK_RULES_FILE);
    g_autofree char *text = fs_read_text(path, NETWORK_RULES_FILE_MAX);
    struct network_rules rules = {0};
    if (text)
        network_rules_parse(text, strlen(text), &rules);
    for (size_t i = 0; i < rules.count; i++) {
        const struct network_rule *each = &rules.rules[i];
        g_autofree char *line = g_strdup_printf("%s %u", each->name, each->port);
        if (each->port != HTTP_PORT && network_requests_digest(&rules, each->name, each->port) &&
            !has_secret(definitions, each->name, each->port) &&
            !g_ptr_array_find_with_equal_func(list, line, g_str_equal, NULL))
            g_ptr_array_add(list, g_steal_pointer(&line));
    }
    network_rules_clear(&rules);
    return list;
}

static char *routes_text(const GPtrArray *definitions, const GPtrArray *checked)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < definitions->len; i++) {
        const secret_definition *each = definitions->pdata[i];
        const secret_host *first = &g_array_index(each->hosts, secret_host, 0);
        g_autofree char *base = secret_base_name(each);
        for (guint j = 0; j < each->hosts->len; j++) {
            const secret_host *host = &g_array_index(each->hosts, secret_host, j);
            g_string_append_printf(text, "%s %u %s %u\n", host->name, host->port, host->name,
                                   host->port);
        }
        if (base)
            g_string_append_printf(text, "%s %d %s %u\n", base, HTTP_PORT, first->name,
                                   first->port);
    }
    for (guint i = 0; i < checked->len; i++)
        g_string_append_printf(text, "%s %s\n", (char *)checked->pdata[i],
                               (char *)checked->pdata[i]);
    return g_string_free(text, FALSE);
}

static char *list_text(const GPtrArray *definitions, const GPtrArray *checked)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < definitions->len; i++)
        g_string_append_printf(text, "%s\n", ((secret_definition *)definitions->pdata[i])->name);
    for (guint i = 0; i < checked->len; i++)
        g_string_append_printf(text, "%s\n", (char *)checked->pdata[i]);
    return g_string_free(text, FALSE);
}

static char *logins_text(const GPtrArray *definitions)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < definitions->len; i++) {
        const secret_definition *each = definitions->pdata[i];
        if (each->login)
            g_string_append_printf(text, "%s %s\n", each->name, each->login->name);
    }
    return g_string_free(text, FALSE);
}

static gboolean write_file(const struct box *self, const char *file, const char *text,
                           GError **error)
{
    g_autofree char *path = runtime_path(self, file);
    return fs_write(path, text, -1, 0600, error);
}

static gboolean file_is(const struct box *self, const char *file, const char *text)
{
    g_autofree char *path = runtime_path(self, file);
    g_autofree char *now = fs_read_text(path, SECRETS_LIST_MAX);
    return g_str_equal(now ? now : "", text);
}

static gboolean make_key(const char *path, GError **error)
{
    char key[KEY_SIZE];
    if (access(path, F_OK) == 0)
        return TRUE;
    if (getrandom(key, sizeof key, 0) == sizeof key)
        return fs_write(path, key, sizeof key, 0600, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the kernel gives no random numbers");
    return FALSE;
}

static gboolean start_helper(const struct box *self, pid_t pid, GError **error)
{
    g_autofree char *run = g_strdup_printf("%d", (int)pid);
    g_autofree char *key = box_shared_file(self, SECRETS_KEY);
    const char *arguments[] = {self->runtime, run, self->name, key, NULL};
    struct helper_request request = {self->runtime, pid, arguments};
    if (!make_key(key, error))
        return FALSE;
    enum helper_status status = box_helper_start(&helper, &request, NULL, error);
    if (status != HELPER_NOT_READY && status != HELPER_READY && status != HELPER_RUNNING) {
        g_autofree char *log = helper_log_path(&helper, self->runtime);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "it has ended; '%s' may say why", log);
    }
    return status == HELPER_READY || status == HELPER_RUNNING;
}

static gboolean write_trust_files(const struct box *self, pid_t pid, GError **error)
{
    g_autofree char *certificate = runtime_path(self, SECRETS_CERTIFICATE);
    g_autofree char *own = fs_read_text(certificate, SECRETS_CERTIFICATE_MAX);
    return trust_files_write(self, pid, own ? own : "", error);
}

/* Podman's cleanup of an earlier run may have killed PID, which was only prepared. Who starts the
 * box prepares it again, or says what is wrong (box/lifecycle/launch.h). */
static void warn_unreachable(const struct box *self, pid_t pid, const GError *problem)
{
    if (!proc_stat_is_alive(pid))
        return;
    log_warning("box '%s' cannot reach the hosts of its secrets, and of rules with methods or "
                "paths: %s",
                self->name, problem->message);
}

/* The helper writes them anew. */
static void remove_placeholders(const struct box *self)
{
    remove_file(self, SECRETS_VARIABLES);
    remove_file(self, SECRETS_FILES);
    remove_file(self, SECRETS_FILES_DONE);
}

/* A file that was written for a secret that is gone is removed by a session, too. */
static gboolean mark_home(const struct box *self, const GPtrArray *definitions, GError **error)
{
    g_autofree char *record = box_home_mark(self, SECRETS_WRITTEN);
    gboolean has_files = access(record, F_OK) == 0;
    for (guint i = 0; definitions && i < definitions->len; i++) {
        const secret_definition *each = definitions->pdata[i];
        has_files |= each->login || each->file;
    }
    if (has_files)
        return write_file(self, SECRETS_IN_HOME, "", error);
    remove_file(self, SECRETS_IN_HOME);
    return TRUE;
}

gboolean secrets_are_in_home(const struct box *self)
{
    g_autofree char *mark = runtime_path(self, SECRETS_IN_HOME);
    return access(mark, F_OK) == 0;
}

void secrets_close(const struct box *self)
{
    remove_placeholders(self);
    mark_home(self, NULL, NULL);
    remove_file(self, SECRETS_LOGINS);
    remove_file(self, SECRETS_HOSTS);
    remove_file(self, SECRETS_LIST);
}

void secrets_open(const struct box *self, pid_t pid)
{
    g_autoptr(GPtrArray) definitions = read_definitions(self);
    g_autoptr(GPtrArray) checked = read_checked(self, definitions);
    g_autofree char *routes = routes_text(definitions, checked);
    g_autofree char *list = list_text(definitions, checked);
    g_autofree char *logins = logins_text(definitions);
    g_autoptr(GError) problem = NULL;
    remove_placeholders(self);
    if (!*logins)
        remove_file(self, SECRETS_LOGINS);
    if (!*list)
        secrets_close(self);
    else if (!mark_home(self, definitions, &problem) ||
             (*logins && !write_file(self, SECRETS_LOGINS, logins, &problem)) ||
             !write_file(self, SECRETS_HOSTS, routes, &problem) ||
             !write_file(self, SECRETS_LIST, list, &problem) ||
             !start_helper(self, pid, &problem) || !write_trust_files(self, pid, &problem))
        warn_unreachable(self, pid, problem);
}

void secrets_reopen(const struct box *self, pid_t pid)
{
    helper_stop(self->runtime, helper.name);
    secrets_open(self, pid);
}

void secrets_check_rules(const struct box *self, pid_t pid)
{
    g_autoptr(GPtrArray) definitions = read_definitions(self);
    g_autoptr(GPtrArray) checked = read_checked(self, definitions);
    g_autofree char *routes = routes_text(definitions, checked);
    g_autofree char *list = list_text(definitions, checked);
    if (!file_is(self, SECRETS_HOSTS, routes) || !file_is(self, SECRETS_LIST, list))
        secrets_reopen(self, pid);
}

void secrets_ensure_running(const struct box *self, pid_t pid)
{
    g_autofree char *list = runtime_path(self, SECRETS_LIST);
    g_autoptr(GError) problem = NULL;
    if (access(list, F_OK) == 0 && !helper_is_supervised(&helper, self->runtime, pid) &&
        !start_helper(self, pid, &problem))
        warn_unreachable(self, pid, problem);
}

void secrets_authority_free(secrets_authority *self)
{
    g_free(self->certificate);
    g_free(self);
}

/* The helper writes the variables when it has its certificates. */
secrets_authority *secrets_read_authority(const struct box *self)
{
    g_autofree char *variables = runtime_path(self, SECRETS_VARIABLES);
    g_autofree char *path = runtime_path(self, SECRETS_CERTIFICATE);
    g_autofree char *text = fs_read_text(path, SECRETS_CERTIFICATE_MAX);
    char hash[9];
    if (!text || access(variables, F_OK) < 0 || sscanf(text, "# %8[0-9a-f]\n", hash) != 1 ||
        strlen(hash) != 8)
        return NULL;
    secrets_authority *read = g_new0(secrets_authority, 1);
    read->certificate = g_steal_pointer(&text);
    g_snprintf(read->hashed_name, sizeof read->hashed_name, "%s.0", hash);
    return read;
}

void secrets_add_environment(const struct box *self, GPtrArray *env)
{
    static const char *const names[] = {"SSL_CERT_FILE",     "REQUESTS_CA_BUNDLE",
                                        "CURL_CA_BUNDLE",    "NODE_EXTRA_CA_CERTS",
                                        "GIT_SSL_CAINFO",    "CARGO_HTTP_CAINFO",
                                        "PIP_CERT",          "BUNDLE_SSL_CA_CERT",
                                        "NPM_CONFIG_CAFILE", "DENO_CERT",
                                        "AWS_CA_BUNDLE",     "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"};
    g_autofree char *path = runtime_path(self, SECRETS_VARIABLES);
    g_autofree char *text = fs_read_text(path, SECRETS_VARIABLES_MAX);
    if (!text)
        return;
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        g_ptr_array_add(
            env, g_strconcat(names[i], "=" PLAN_CERTIFICATES "/" PLAN_CERTIFICATES_FILE, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", VARIABLES_MAX);
    for (char **line = lines; *line; line++)
        if (**line)
            g_ptr_array_add(env, g_strdup(*line));
}
