/*
 * Secrets that boxes may use without having them: what each is, in a file of the user's own,
 * $XDG_CONFIG_HOME/litterbox/secrets/NAME.toml:
 *
 *     hosts = ["api.example.com"]      NAME or NAME:PORT that get it, over verified TLS
 *     as = "bearer"                    the forms in which they take it, separated by commas
 *     variable = "EXAMPLE_KEY"         gets the placeholder in the box; may be left out
 *     file = "~/.npmrc"                gets it, too: of the box's home; may be left out
 *     file_text = "token={}"           what that file has, the placeholder for {}; else that alone
 *     base_url_variable = "…_URL"      gets http://NAME.box.internal; may be left out
 *     source = "env:VAR"               or "file:PATH", "command:…", "keyring:NAME=VALUE,…"; else
 *                                      the value is kept by `box secret add`, in a file of the
 *                                      data folder
 *     login = "claude"                 in place of all these: a subscription whose clients log in
 *                                      (login_services.h)
 *
 * A project has no say in this: its litterbox.toml is read by config.h, which knows no secrets.
 */
#pragma once

#include <glib.h>

#include "config/login_services.h"
#include "proto/network_record.h"

/* Most secrets, and hosts of one. */
#define SECRETS_MAX 32
#define SECRET_HOSTS_MAX 16
/* Longest name: it is a label of NAME.box.internal (RFC 1035). */
#define SECRET_NAME_MAX (NETWORK_SECRET_SIZE - 1)
#define SECRET_FILE_MAX (16 * 1024)
/* In the text of a file of the box: where the placeholder goes. */
#define SECRET_FILE_MARK "{}"

/* How a host takes it, several of them. */
enum secret_form {
    SECRET_BEARER = 1 << 0,    /* Authorization: Bearer VALUE, or token VALUE as of GitHub */
    SECRET_BASIC = 1 << 1,     /* Authorization: Basic, as user or as password */
    SECRET_X_API_KEY = 1 << 2, /* X-Api-Key: VALUE */
    SECRET_HEADER = 1 << 3,    /* another field, of which it is the whole value */
    SECRET_QUERY = 1 << 4,     /* a parameter of the query, whole, too */
    SECRET_SIGV4 = 1 << 5, /* never sent: requests are signed with it. No other form beside it */
};

/* Where its value comes from. */
enum secret_source { SECRET_KEPT, SECRET_ENV, SECRET_FILE, SECRET_COMMAND, SECRET_KEYRING };

typedef struct {
    char name[HOST_NAME_SIZE];
    guint16 port;
} secret_host;

typedef struct {
    char *name;
    GArray *hosts; /* of secret_host, at least one */
    /* NULL: it is none. Else hosts and form (SECRET_BEARER) are the service's, the rest empty. */
    const login_service *login;
    unsigned forms;  /* enum secret_form */
    char *header;    /* of SECRET_HEADER; else NULL */
    char *query;     /* of SECRET_QUERY: its name; else NULL */
    char *variable;  /* or NULL; with SECRET_SIGV4 the first of three */
    char *base_url;  /* the variable of the base URL; or NULL */
    char *file;      /* below the box's home; or NULL, and FILE_TEXT, too */
    char *file_text; /* with one SECRET_FILE_MARK */
    enum secret_source source;
    /* VAR, PATH (absolute), the command, or the attributes in the keyring; NULL when it is kept. */
    char *source_text;
} secret_definition;

void secret_definition_free(secret_definition *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(secret_definition, secret_definition_free)

/* 1 to SECRET_NAME_MAX of a-z, 0-9 and inner "-", a letter first, and not "host". */
gboolean secret_name_is_valid(const char *name);
/* "anthropic.box.internal", which reaches the first host of SELF by plain HTTP. A new string; NULL:
 * there is none, as a signature holds for the name that the box has called, or for a login. */
char *secret_base_name(const secret_definition *self);
/* What the file of SELF has, with PLACEHOLDER; a new string, which ends a line. */
char *secret_file_content(const secret_definition *self, const char *placeholder);
/* A variable that both set in a box, or a file of its home, which can have one of them alone; NULL:
 * there is none. */
const char *secret_common_variable(const secret_definition *a, const secret_definition *b);

/*
 * What a file says, or the options of `box secret add`; NULL: not given. BOX_ERROR_CONFIG says
 * which is wrong. HOSTS is NULL-terminated.
 */
typedef struct {
    const char *name, *login, *as, *variable, *file, *file_text, *base_url, *source;
    const char *const *hosts;
} secret_texts;
secret_definition *secret_definition_new(const secret_texts *texts, GError **error);

/* The folder of the values that are kept, and the file of one. New strings. */
char *secret_value_folder(void);
char *secret_value_path(const char *name);
/* The folder with the tokens of a login. Nothing else may lie there: a process that a box could
 * take over can write it. A new string. */
char *secret_login_folder(const char *name);
#define SECRET_LOGIN_TOKENS "tokens.json"
/* Whoever changes the tokens holds it. */
#define SECRET_LOGIN_LOCK "lock"
/* States of a login: nobody has logged in, the service does not renew it any more, it is renewed,
 * or it is good until its end. */
#define SECRET_LOGIN_NONE "none"
#define SECRET_LOGIN_ENDED "ended"
#define SECRET_LOGIN_RENEWED "renewed"
#define SECRET_LOGIN_FIXED "fixed"
/* Forgets the tokens of the login NAME, after a request for others that a box has sent: it waits
 * for that, and says so, as the next two do where they remove a login. */
gboolean secret_login_forget(const char *name, GError **error);

/* The definition NAME; BOX_ERROR_NOT_FOUND when there is none. */
secret_definition *secret_file_read(const char *name, GError **error);
/* Writes what TEXTS say, which secret_definition_new() took. */
gboolean secret_file_write(const secret_texts *texts, GError **error);
/* Removes the definition, and the value or the tokens that are kept. */
gboolean secret_file_remove(const char *name, GError **error);
/* All names, sorted; free with g_strfreev. */
char **secret_names(void);
