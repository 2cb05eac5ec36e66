/*
 * What only the host knows: a phrase that every true prompt shows, and each box's colour. Both come
 * from a secret in the state folder, which no box can read.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "ssh-agent/agent/agent.h"

static const char *const adjectives[] = {
    "amber",  "brave",  "calm",   "dusty",  "early",  "faint",  "gentle", "happy",
    "icy",    "jolly",  "keen",   "lucky",  "mellow", "noble",  "olive",  "proud",
    "quiet",  "rusty",  "silver", "tiny",   "urban",  "violet", "warm",   "young",
    "bright", "copper", "golden", "hidden", "lonely", "narrow", "purple", "sunny",
};
static const char *const nouns[] = {
    "otter",  "badger", "cedar",   "dolphin", "ember",  "falcon", "garden", "harbour",
    "island", "jacket", "kite",    "lantern", "meadow", "needle", "orchid", "pebble",
    "quartz", "raven",  "saddle",  "teapot",  "violin", "walnut", "anchor", "beacon",
    "candle", "drum",   "feather", "glacier", "hammer", "ladder", "marble", "willow",
};
G_STATIC_ASSERT(G_N_ELEMENTS(adjectives) == 32 && G_N_ELEMENTS(nouns) == 32);

static gboolean make(const char *path, guint8 *bytes, gsize length, GError **error)
{
    if (getrandom(bytes, length, 0) != (ssize_t)length) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "no random numbers");
        return FALSE;
    }
    return fs_write(path, (const char *)bytes, (gssize)length, 0600, error);
}

gboolean identity_load(agent *self, GError **error)
{
    g_autofree char *folder = paths_state(NULL);
    g_autofree char *path = paths_state("prompt-secret");
    g_autofree char *data = NULL;
    gsize length = 0;
    if (!fs_make_folder(folder, 0700, error))
        return FALSE;
    g_autoptr(GError) problem = NULL;
    /* Another one would be another phrase than the user knows. */
    if (!fs_read(AT_FDCWD, path, sizeof self->secret, &data, &length, &problem) &&
        !g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    if (length != sizeof self->secret)
        return make(path, self->secret, sizeof self->secret, error);
    memcpy(self->secret, data, length);
    return TRUE;
}

static void digest(const agent *self, const char *what, guint8 out[32])
{
    gsize length = 32;
    GHmac *hmac = g_hmac_new(G_CHECKSUM_SHA256, self->secret, sizeof self->secret);
    g_hmac_update(hmac, (const guchar *)what, (gssize)strlen(what));
    g_hmac_get_digest(hmac, out, &length);
    g_hmac_unref(hmac);
}

char *identity_phrase(const agent *self)
{
    guint8 bytes[32];
    digest(self, "phrase", bytes);
    return g_strdup_printf("%s %s", adjectives[bytes[0] % G_N_ELEMENTS(adjectives)],
                           nouns[bytes[1] % G_N_ELEMENTS(nouns)]);
}

/* One part of a colour whose hue is HUE (0 to 359), strong and not too light for white letters. */
static guint part(int hue, int shift)
{
    int at = (hue + shift) % 360;
    int level = at < 60 ? at : at < 180 ? 60 : at < 240 ? 240 - at : 0;
    return 0x30 + (guint)level * 0x90 / 60;
}

char *identity_colour(const agent *self, const char *box)
{
    guint8 bytes[32];
    g_autofree char *what = g_strconcat("colour ", box, NULL);
    digest(self, what, bytes);
    int hue = (bytes[0] << 8 | bytes[1]) % 360;
    return g_strdup_printf("#%02x%02x%02x", part(hue, 120), part(hue, 0), part(hue, 240));
}
