/*
 * The file format of the key store, version 1. Numbers are big endian; a string is a uint32 length
 * and that many bytes.
 *
 *     head      byte[16]  "litterbox-keys\n" and a NUL
 *               uint32    version: 1
 *               uint64    length of the whole file
 *               uint64    Argon2id passes
 *               uint64    Argon2id memory in bytes
 *               byte[16]  salt
 *               byte[32]  check: BLAKE2b of the head up to here, keyed with subkey 1
 *     records   uint32    their number; then for each:
 *               string    name
 *               string    public key, an SSH blob
 *               uint64    when it was added (Unix time)
 *               byte[24]  nonce
 *               string    private key (private_blob.h), XChaCha20-Poly1305 with subkey 3; name,
 *                         public key and time, as they are written above, are associated data
 *
 *     end       byte[32]  MAC: BLAKE2b of all up to here, keyed with subkey 2
 *               byte[32]  checksum: BLAKE2b of all up to here, without a key
 *
 * Argon2id derives 32 bytes from the password; libsodium's crypto_kdf derives the subkeys from
 * them, with the context "boxstore".
 *
 * The check distinguishes a wrong password from a changed file. The checksum finds accidental
 * damage without a password. The MAC finds deliberate changes: an attacker who can write the file
 * cannot read a key, move a name to another key, or add, drop or swap keys unnoticed, because
 * unlocking verifies the MAC before any key is used. The attacker can restore an older file with
 * the same password, and change what is listed without a password (`--verify` asks for one).
 */
#pragma once

#include <glib.h>

#include "ssh-agent/store/secret.h"
#include "ssh-agent/wire/key.h"

#define KEY_STORE_VERSION 1
/* Limits: bytes of the file, keys, bytes of a name. */
#define KEY_STORE_FILE_MAX ((gsize)4 << 20)
#define KEY_STORE_KEYS_MAX 128
#define KEY_STORE_NAME_MAX 64

#define KEY_STORE_NONCE 24
#define KEY_STORE_HASH 32
/* Bytes in front of the check: magic, version, three numbers, salt. */
#define KEY_STORE_HEAD (16 + 4 + 3 * 8 + KDF_SALT)

typedef struct {
    char *name;
    GBytes *public;
    struct ssh_key key; /* parsed from public */
    guint64 created;
    guint8 nonce[KEY_STORE_NONCE];
    GBytes *sealed;
} key_store_record;

void key_store_record_free(key_store_record *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(key_store_record, key_store_record_free)

typedef struct {
    kdf_cost cost;
    guint8 salt[KDF_SALT];
    GPtrArray *records; /* of key_store_record */
} key_store_file;

void key_store_file_init(key_store_file *self);
void key_store_file_clear(key_store_file *self);

/* 1 to KEY_STORE_NAME_MAX letters, digits and . _ @ + -, a letter or digit first. */
gboolean key_store_name_is_valid(const char *name);

/*
 * Parses DATA into an initialised SELF. Verifies form and checksum, but not the keyed hashes, so
 * the contents are not authenticated. KEY_ERROR_TRUNCATED, _DAMAGED or _NEWER, with a message that
 * continues "the key store PATH".
 */
gboolean key_store_file_parse(key_store_file *self, const guint8 *data, gsize length,
                              GError **error);

/* Where the keyed hashes are in a file that was parsed, and functions to compute them. */
#define KEY_STORE_FILE_CHECK(data) ((data) + KEY_STORE_HEAD)
#define KEY_STORE_FILE_MAC(data, length) ((data) + (length)-2 * KEY_STORE_HASH)
void key_store_file_check(const guint8 *data, const secret *subkey, guint8 out[KEY_STORE_HASH]);
void key_store_file_mac(const guint8 *data, gsize length, const secret *subkey,
                        guint8 out[KEY_STORE_HASH]);

/* The bytes of the file; NULL if they would exceed KEY_STORE_FILE_MAX. */
GByteArray *key_store_file_serialize(const key_store_file *self, const secret *check_key,
                                     const secret *mac_key);

/*
 * Encrypts BLOB, the private key (private_blob.h), into a record of which the other fields are set.
 * SUBKEY is number 3. The record is bound to its name, public key and time.
 */
void key_store_record_seal(key_store_record *self, const secret *subkey, struct ssh_span blob);

/* The private key of a record. KEY_ERROR_TAMPERED if it or its fields were changed. */
secret *key_store_record_unseal(const key_store_record *self, const secret *subkey, GError **error);
