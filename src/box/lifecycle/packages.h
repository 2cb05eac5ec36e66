/* The image layer of [box] packages, as text: a Containerfile that runs the image's own package
 * manager. */
#pragma once

#include <glib.h>

/*
 * The shell script that installs its arguments with the first manager that it finds. The same for
 * all images and names, so that no name is ever a part of a script. A static string.
 */
const char *packages_script(void);

/* "a b c": PACKAGES sorted and each once, as the order of a list means nothing. A new string. */
char *packages_text(char *const *packages);

/*
 * The Containerfile that adds TEXT (packages_text()) to the image with the ID BASE. Names reach the
 * script as arguments. A new string.
 */
char *packages_containerfile(const char *base, const char *text);
