#include "cli/commands/keys_table.h"

const struct command_verb keys_verbs[] = {
    [KEYS_GENERATE] = {"generate", "NAME", 1, 1, NULL, "make an ed25519 key"},
    [KEYS_IMPORT] = {"import", "FILE [NAME]", 1, 2, NULL, "import a private key from a file", 0,
                     COMPLETE_FILES},
    [KEYS_LIST] = {"list", "", 0, 0, NULL, "list the keys", COMMAND_JSON},
    [KEYS_SHOW] = {"show", "NAME", 1, 1, NULL, "show one key and its public key", COMMAND_JSON,
                   COMPLETE_OWN_KEYS},
    [KEYS_RENAME] = {"rename", "NAME NEW", 2, 2, NULL, "give a key another name", 0,
                     COMPLETE_OWN_KEYS},
    [KEYS_DELETE] = {"delete", "NAME", 1, 1, NULL, "delete a key", 0, COMPLETE_OWN_KEYS},
    [KEYS_EXPORT] = {"export", "NAME [FILE]", 1, 2, NULL, "write a private key in OpenSSH's format",
                     0, COMPLETE_OWN_KEYS},
    [KEYS_PASSWD] = {"passwd", "", 0, 0, NULL, "change the password of the store"},
    [KEYS_UNLOCK] = {"unlock", "", 0, 0, NULL, "let the SSH agent sign with the keys"},
    [KEYS_LOCK] = {"lock", "", 0, 0, NULL, "remove the keys from the SSH agent"},
    [KEYS_ATTACH] = {"attach", "KEY [PROJECT]", 1, 2, NULL,
                     "let a box request signatures with a key", 0, COMPLETE_OFFERED_KEYS},
    [KEYS_DETACH] = {"detach", "KEY [PROJECT]", 1, 2, NULL, "stop that", 0, COMPLETE_ATTACHED_KEYS},
    [N_KEYS_VERBS] = {0},
};

keys_options keys_given;

const option keys_option_table[] = {
    {"password-fd", 0, OPTION_TEXT, &keys_given.password_fd, "N",
     "read the store's password from descriptor N, one line"},
    {"new-password-fd", 0, OPTION_TEXT, &keys_given.new_password_fd, "N",
     "passwd: the same for the new password"},
    {"passphrase-fd", 0, OPTION_TEXT, &keys_given.passphrase_fd, "N",
     "import, export: the same for the passphrase of the key file"},
    {"no-passphrase", 0, OPTION_FLAG, &keys_given.no_passphrase, NULL,
     "export: leave the file unencrypted"},
    {"verify", 0, OPTION_FLAG, &keys_given.verify, NULL,
     "list, show: ask for the password and verify what is shown"},
    {"public", 0, OPTION_FLAG, &keys_given.public, NULL,
     "show: only the public key, as authorized_keys has it"},
    {"yes", 'y', OPTION_FLAG, &keys_given.yes, NULL, "delete: do not ask"},
    {0},
};
