/*
 * The store's file: plain functions over a buffer. All numbers are big endian, strings are SSH's
 * (uint32 length, bytes).
 *
 *     head      byte[16]  "litterbox-keys\n" and a NUL
 *               uint32    version: 1
 *               uint64    length of the whole file
 *               uint64    Argon2id passes
 *               uint64    Argon2id memory in bytes
 *               byte[16]  salt
 *               byte[32]  check: BLAKE2b of the head up to here, keyed with subkey 1
 *     records   uint32    how many, then each:
 *               string    name
 *               string    public key, an SSH blob
 *               uint64    time of its making, seconds since 1970
 *               byte[24]  nonce
 *               string    private form (private.h), XChaCha20-Poly1305 with subkey 3, which
 *                         binds name, public key and time as they stand here to it
 *
 *     end       byte[32]  MAC: BLAKE2b of all up to here, keyed with subkey 2
 *               byte[32]  checksum: BLAKE2b of all up to here, without a key
 *
 * Subkeys come from Argon2id's 32 bytes by libsodium's crypto_kdf, context "boxstore".
 *
 * The check tells a wrong password from a changed file, the checksum a damaged file from one that
 * was changed by somebody who knows this page, and the MAC finds him. He cannot read a key, move a
 * name to another key, or add, drop or swap keys without it being noticed at the next unlock; a key
 * signs only after that. What he can do: bring back an older file of the same password whole, and
 * show other public keys to those who list without a password (`--verify` asks for it).
 */
#pragma once

#include <glib.h>

#include "ssh-agent/store/kdf.h"
#include "ssh-agent/wire/key.h"

#define FORMAT_VERSION 1
/* Largest file, most keys, longest name. */
#define FORMAT_MAX ((gsize)4 << 20)
#define FORMAT_KEYS_MAX 128
#define FORMAT_NAME_MAX 64

#define FORMAT_NONCE 24
#define FORMAT_HASH 32
/* Bytes in front of the check. */
#define FORMAT_HEAD (16 + 4 + 3 * 8 + KDF_SALT)

typedef struct {
    char *name;
    GBytes *public;
    struct ssh_key key; /* of public */
    guint64 created;
    guint8 nonce[FORMAT_NONCE];
    GBytes *sealed;
} format_record;

void format_record_free(format_record *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(format_record, format_record_free)

typedef struct {
    kdf_cost cost;
    guint8 salt[KDF_SALT];
    GPtrArray *records; /* format_record */
} format_index;

void format_index_init(format_index *self);
void format_index_clear(format_index *self);

/* 1 to FORMAT_NAME_MAX letters, digits and . _ @ + -, a letter or digit first. */
gboolean format_name_valid(const char *name);

/*
 * Reads DATA into an initialised SELF. What is accepted has the right shape and checksum; who wrote
 * it is another question. KEY_ERROR_TRUNCATED, _DAMAGED or _NEWER.
 */
gboolean format_read(format_index *self, const guint8 *data, gsize length, GError **error);

/* The keyed hashes of a file that format_read() took. */
#define FORMAT_CHECK(data) ((data) + FORMAT_HEAD)
#define FORMAT_MAC(data, length) ((data) + (length)-2 * FORMAT_HASH)
void format_check(const guint8 *data, const secret *subkey, guint8 out[FORMAT_HASH]);
void format_mac(const guint8 *data, gsize length, const secret *subkey, guint8 out[FORMAT_HASH]);

/* The whole file; NULL when it would be larger than FORMAT_MAX. */
GByteArray *format_write(const format_index *self, const secret *check_key, const secret *mac_key);

/* The associated data of a record. */
GByteArray *format_associated(const format_record *self);
