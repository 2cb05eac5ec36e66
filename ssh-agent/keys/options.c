#include "ssh-agent/keys/options.h"

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
    {"json", 0, OPTION_FLAG, &keys_given.json, NULL, "list, show: print JSON"},
    {"yes", 'y', OPTION_FLAG, &keys_given.yes, NULL, "delete: without asking"},
    {0},
};
