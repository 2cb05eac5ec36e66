/*
 * The file is: version, and "data" with a sequence of "data", each with a sequence of bags; a bag
 * has one certificate with its name. Whoever has written it before, what is added is a "data" of
 * its own; keytool may have moved it among the others since.
 */
#include "box/helpers/java_pkcs12.h"

#include <string.h>

#include "box/helpers/der.h"

/* Contents of object identifiers. */
#define OID_DATA "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"
#define OID_CERTIFICATE_BAG "\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x0a\x01\x03"
#define OID_X509 "\x2a\x86\x48\x86\xf7\x0d\x01\x09\x16\x01"
#define OID_NAME "\x2a\x86\x48\x86\xf7\x0d\x01\x09\x14"
/* Without this attribute, with "any use", a certificate is not one that Java trusts. */
#define OID_TRUSTED "\x60\x86\x48\x01\x86\xf9\x66\xad\xca\x7b\x01\x01"
#define OID_ANY_USE "\x55\x1d\x25\x00"
#define VERSION_3 "\x02\x01\x03"

static gboolean is_at_end(const der_reader *self)
{
    return self->at == self->end;
}

static gboolean take_exactly(der_reader *self, const char *bytes, gsize length)
{
    if (length > (gsize)(self->end - self->at) || memcmp(self->at, bytes, length) != 0)
        return FALSE;
    self->at += length;
    return TRUE;
}

/* The next "data", and the sequence that is its contents. */
static gboolean take_data(der_reader *self, der_reader *sequence)
{
    der_reader info, oid, tagged, octets;
    return der_take(self, DER_SEQUENCE, &info) && der_take(&info, DER_OID, &oid) &&
           take_exactly(&oid, OID_DATA, strlen(OID_DATA)) && is_at_end(&oid) &&
           der_take(&info, DER_EXPLICIT_0, &tagged) && is_at_end(&info) &&
           der_take(&tagged, DER_OCTETS, &octets) && is_at_end(&tagged) &&
           der_take(&octets, DER_SEQUENCE, sequence) && is_at_end(&octets);
}

/* Behind what is read there would be a password's digest. */
static gboolean take_file(const char *data, gsize length, der_reader *all)
{
    der_reader from = {(const guint8 *)data, (const guint8 *)data + length}, file;
    return der_take(&from, DER_SEQUENCE, &file) && is_at_end(&from) &&
           take_exactly(&file, VERSION_3, strlen(VERSION_3)) && take_data(&file, all) &&
           is_at_end(&file);
}

/* Makes TEXT the contents of a value with TAG. */
static void wrap(GString *text, guint8 tag)
{
    g_autoptr(GString) whole = g_string_sized_new(text->len + 16);
    der_put(whole, tag, text->str, text->len);
    g_string_assign(text, "");
    g_string_append_len(text, whole->str, (gssize)whole->len);
}

/* Makes TEXT what is behind the object identifier OID in a sequence. */
static void wrap_with_oid(GString *text, const char *oid, gsize length)
{
    g_autoptr(GString) first = g_string_new(NULL);
    der_put(first, DER_OID, oid, length);
    g_string_prepend_len(text, first->str, (gssize)first->len);
    wrap(text, DER_SEQUENCE);
}

static void wrap_as_data(GString *text)
{
    wrap(text, DER_SEQUENCE);
    wrap(text, DER_OCTETS);
    wrap(text, DER_EXPLICIT_0);
    wrap_with_oid(text, OID_DATA, strlen(OID_DATA));
}

static void wrap_as_file(GString *text)
{
    wrap_as_data(text);
    g_string_prepend_len(text, VERSION_3, strlen(VERSION_3));
    wrap(text, DER_SEQUENCE);
}

/* NAME as it is in a bag. */
static GString *name_value(const char *name)
{
    GString *value = g_string_new(NULL);
    for (; *name; name++) {
        g_string_append_c(value, 0);
        g_string_append_c(value, *name);
    }
    wrap(value, DER_BMP_STRING);
    return value;
}

/* Appends those of BAGS, a "data", to REST that do not have NAME. Those without any are nothing, if
 * there were some. */
static gboolean copy_bags(der_reader bags, const GString *name, GString *rest)
{
    g_autoptr(GString) kept = g_string_new(NULL);
    gboolean had_none = is_at_end(&bags);
    der_reader bag;
    while (!is_at_end(&bags)) {
        const guint8 *start = bags.at;
        if (!der_take(&bags, DER_SEQUENCE, &bag))
            return FALSE;
        if (!memmem(bag.at, (gsize)(bag.end - bag.at), name->str, name->len))
            g_string_append_len(kept, (const char *)start, bags.at - start);
    }
    if (kept->len == 0 && !had_none)
        return TRUE;
    wrap_as_data(kept);
    g_string_append_len(rest, kept->str, (gssize)kept->len);
    return TRUE;
}

GString *java_pkcs12_without(const char *data, gsize length, const char *name)
{
    g_autoptr(GString) value = name_value(name);
    g_autoptr(GString) rest = g_string_new(NULL);
    der_reader all, bags;
    if (!take_file(data, length, &all))
        return NULL;
    while (!is_at_end(&all))
        if (!take_data(&all, &bags) || !copy_bags(bags, value, rest))
            return NULL;
    wrap_as_file(rest);
    return g_steal_pointer(&rest);
}

/* An attribute with one value. */
static void append_attribute(GString *to, const char *oid, gsize length, GString *value)
{
    wrap(value, DER_SET);
    wrap_with_oid(value, oid, length);
    g_string_append_len(to, value->str, (gssize)value->len);
}

static GString *new_attributes(const char *name)
{
    GString *attributes = g_string_new(NULL);
    g_autoptr(GString) use = g_string_new_len(OID_ANY_USE, sizeof OID_ANY_USE - 1);
    g_autoptr(GString) called = name_value(name);
    wrap(use, DER_OID);
    append_attribute(attributes, OID_TRUSTED, strlen(OID_TRUSTED), use);
    append_attribute(attributes, OID_NAME, strlen(OID_NAME), called);
    wrap(attributes, DER_SET);
    return attributes;
}

static GString *new_bag(const char *name, const guint8 *der, gsize length)
{
    GString *bag = g_string_new_len((const char *)der, (gssize)length);
    g_autoptr(GString) attributes = new_attributes(name);
    wrap(bag, DER_OCTETS);
    wrap(bag, DER_EXPLICIT_0);
    wrap_with_oid(bag, OID_X509, strlen(OID_X509));
    wrap(bag, DER_EXPLICIT_0);
    g_string_append_len(bag, attributes->str, (gssize)attributes->len);
    wrap_with_oid(bag, OID_CERTIFICATE_BAG, strlen(OID_CERTIFICATE_BAG));
    return bag;
}

void java_pkcs12_add(GString *store, const char *name, const guint8 *der, gsize length)
{
    der_reader all;
    if (!take_file(store->str, store->len, &all))
        g_return_if_reached();
    g_autoptr(GString) whole = g_string_new_len((const char *)all.at, all.end - all.at);
    g_autoptr(GString) bag = new_bag(name, der, length);
    wrap_as_data(bag);
    g_string_append_len(whole, bag->str, (gssize)bag->len);
    wrap_as_file(whole);
    g_string_assign(store, "");
    g_string_append_len(store, whole->str, (gssize)whole->len);
}
