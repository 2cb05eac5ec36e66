/*
 * A login that boxes of the user share (config/login_services.h): its tokens, in a file of the
 * user's that is read again when another box has changed it. Whoever asks the service for other
 * tokens holds its lock, from before the request until the answer is in the file: a refresh token
 * is good for one request.
 */
#pragma once

#include <sys/stat.h>

#include "config/secret_file.h"
#include "host/secrets/login_tokens.h"

typedef struct login {
    phantom_maker maker;
    char *folder, *tokens_path, *lock_path;
    login_tokens now; /* as last read; no access token: nobody has logged in */
    struct stat seen; /* of the file then */
    int unsaved;      /* the lock, while NOW could not be written; -1 */
} login;

/* In the folder secret_login_folder() of DEFINITION, which is made; it is all that has to be
 * written later on. KEY is of the box. NULL with ERROR. DEFINITION is kept. */
login *login_open(const secret_definition *definition, const guint8 key[PLACEHOLDER_KEY],
                  GError **error);
void login_free(login *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(login, login_free)

/*
 * Reads the file again when it has changed. FALSE when it cannot be read, or is broken: then what
 * was read last stays, as a login that seems to be gone would be replaced by the next one.
 */
gboolean login_update(login *self);
/* Takes the lock; -1 with errno, EWOULDBLOCK while another box has it. Then reads the file: EIO
 * when that fails. Close it to give it back. */
int login_lock(login *self);
/* Writes TOKENS, which it takes, to the disk. FALSE when that fails: they are kept in memory, and
 * LOCK with them, which stays -1 here; login_lock() tries again. */
gboolean login_save(login *self, login_tokens *tokens, int *lock);

/* The file in which a client keeps its tokens, as it would have written it when it had got PHANTOMS
 * itself. Plain functions. */

/* For a client that has not logged in: with phantoms of SELF, where somebody has. A new string;
 * NULL: there is no login. */
char *login_client_file(const login *self, gint64 now);
