/* What `box` asks this program about a login, so that no other reads its tokens. Both return an
 * exit status, and print what is wrong. */
#pragma once

/* litterbox-secrets --login-file NAME KEY: prints what the client of the login NAME keeps, with
 * phantoms for the box whose key is in the file KEY. Nothing: nobody has logged in. */
int login_say_file(const char *name, const char *key);
/* litterbox-secrets --login-state NAME: prints "EXPIRES STATE EMAIL" (config/secret_file.h). */
int login_say_state(const char *name);
