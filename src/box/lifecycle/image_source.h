/* What an image is built from: a template, the project's Containerfile, or [box] packages. */
#pragma once

#include <glib.h>

#include "box/registry/box.h"
#include "config/settings.h"

/* What follows image_tag_prefix() in the tag of a template's image, before the template's name. */
#define IMAGE_TEMPLATE_TAG "template-"
/* The same for a layer of [box] packages. Box names have no '/': no project can have it. */
#define IMAGE_PACKAGES_TAG "packages/"
/* How the tag of a bootstrapped image begins. */
#define IMAGE_BOOTSTRAP_PREFIX "docker.io/library/debian:"

/* How all tags of built images begin, "localhost/litterbox/": a new string. */
char *image_tag_prefix(void);
/* The same of images of snapshots (box/snapshot/system_image.h), of which no project can name one
 * either. */
char *image_snapshots_prefix(void);
/* The tag of the image that is built for the box OF, a new string. */
char *image_project_tag(const struct box *of);
/* IMAGE_LABEL_SOURCE of the images that this instance has bootstrapped; a new string. */
char *image_bootstrap_source(void);

/* Owns its strings. */
typedef struct {
    char *tag;
    char *folder; /* the build context */
    char *file;   /* the Containerfile's path in it */
    char *hash;   /* of all that it depends on; of packages, when their image is known */
    /* The Containerfile of a project, as it was checked: the box may change it meanwhile. */
    GBytes *contents;
    struct timespec changed; /* when it was, which Podman's cache goes by */
    char **args;
    /* The box may have written what is built: it gets no more than the box has. */
    gboolean is_of_project;
    const settings *limits; /* whose network the steps have; belongs to the caller; NULL: open */
    char *const *left_out;  /* project.hidden; belongs to the settings */
    char *packages;         /* added to the image ON, for its labels; NULL: a Containerfile */
    const char *on;         /* belongs to the caller */
} image_source;
void image_source_clear(image_source *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(image_source, image_source_clear)

/* The template NAME. FALSE with ERROR. */
gboolean image_source_template(image_source *self, const char *name, GError **error);
/* The Containerfile of WANTED, in the project of OF. FALSE with ERROR: BOX_ERROR_UNTRUSTED when it
 * is not the one that the user has approved. */
gboolean image_source_project(image_source *self, const struct box *of, const settings *wanted,
                              GError **error);
/*
 * The packages of WANTED on the image ON. The layer's name comes from ON's name and the packages,
 * so that a newer image under the same name is no other plan; its label from the image's ID
 * (image_source_packages_hash()), so that it is drift.
 */
void image_source_packages(image_source *self, const struct box *of, const settings *wanted,
                           const char *on);
/* The hash of SELF on the image with the ID BASE; a new string. */
char *image_source_packages_hash(const image_source *self, const char *base);
/* Writes what image_source_packages() builds, into a folder of the caller's to remove. */
gboolean image_source_write_packages(const image_source *self, const char *base, GError **error);

/* Writes the contents of SELF, and copies of the files by which Podman leaves others out, to their
 * paths below FOLDER, which the caller removes. */
gboolean image_source_write_copies(const image_source *self, const char *folder, GError **error);

/* Opens the build context: a descriptor, or -1 with errno. */
int image_source_open(const image_source *self);

/*
 * The arguments, with the user's proxy variables where these steps may see their passwords
 * (WITH_PROXIES: the user says so). Not counted in the hash of the source, as they are not in the
 * image. Free with g_strfreev().
 */
char **image_source_arguments(const image_source *self, gboolean with_proxies);

/* The image layer of [box] packages, as text: a Containerfile that runs the image's own package
 * manager. */

/* "a b c": PACKAGES sorted and each once, as the order of a list means nothing. A new string. */
char *packages_text(char *const *packages);

/*
 * The Containerfile that adds TEXT (packages_text()) to the image with the ID BASE. Names reach the
 * script as arguments. A new string.
 */
char *packages_containerfile(const char *base, const char *text);
