#include "secret.h"

#include <string.h>
#include <sys/mman.h>

G_DECLARE_FINAL_TYPE(SecretBuffer, secret_buffer, LITTERBOX, SECRET_BUFFER, GtkEntryBuffer)

struct _SecretBuffer {
    GtkEntryBuffer parent;
    char *text; /* SECRET_MAX + 1 bytes in pages of their own */
    gsize length;
};

G_DEFINE_TYPE(SecretBuffer, secret_buffer, GTK_TYPE_ENTRY_BUFFER)

static const char *get_text(GtkEntryBuffer *buffer, gsize *bytes)
{
    SecretBuffer *self = LITTERBOX_SECRET_BUFFER(buffer);
    if (bytes)
        *bytes = self->length;
    return self->text;
}

static guint get_length(GtkEntryBuffer *buffer)
{
    return g_utf8_strlen(LITTERBOX_SECRET_BUFFER(buffer)->text, -1);
}

static guint insert_text(GtkEntryBuffer *buffer, guint position, const char *chars, guint count)
{
    SecretBuffer *self = LITTERBOX_SECRET_BUFFER(buffer);
    gsize size = g_utf8_offset_to_pointer(chars, count) - chars;

    if (size > SECRET_MAX - self->length) {
        gdk_display_beep(gdk_display_get_default());
        return 0;
    }
    char *at = g_utf8_offset_to_pointer(self->text, position);
    memmove(at + size, at, self->text + self->length + 1 - at);
    memcpy(at, chars, size);
    self->length += size;
    gtk_entry_buffer_emit_inserted_text(buffer, position, chars, count);
    return count;
}

static guint delete_text(GtkEntryBuffer *buffer, guint position, guint count)
{
    SecretBuffer *self = LITTERBOX_SECRET_BUFFER(buffer);
    guint length = get_length(buffer);

    position = MIN(position, length);
    count = MIN(count, length - position);
    if (!count)
        return 0;
    char *from = g_utf8_offset_to_pointer(self->text, position);
    char *to = g_utf8_offset_to_pointer(from, count);
    gsize rest = self->text + self->length + 1 - to;
    memmove(from, to, rest);
    explicit_bzero(from + rest, to - from);
    self->length -= to - from;
    gtk_entry_buffer_emit_deleted_text(buffer, position, count);
    return count;
}

static void secret_buffer_init(SecretBuffer *self)
{
    self->text =
        mmap(NULL, SECRET_MAX + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (self->text == MAP_FAILED)
        g_error("no memory for a password");
    /* Both may be refused (RLIMIT_MEMLOCK); the process is not dumpable either way. */
    (void)mlock(self->text, SECRET_MAX + 1);
    (void)madvise(self->text, SECRET_MAX + 1, MADV_DONTDUMP);
}

static void secret_buffer_finalize(GObject *object)
{
    SecretBuffer *self = LITTERBOX_SECRET_BUFFER(object);
    explicit_bzero(self->text, SECRET_MAX + 1);
    munmap(self->text, SECRET_MAX + 1);
    G_OBJECT_CLASS(secret_buffer_parent_class)->finalize(object);
}

static void secret_buffer_class_init(SecretBufferClass *class)
{
    GtkEntryBufferClass *buffer = GTK_ENTRY_BUFFER_CLASS(class);

    G_OBJECT_CLASS(class)->finalize = secret_buffer_finalize;
    buffer->get_text = get_text;
    buffer->get_length = get_length;
    buffer->insert_text = insert_text;
    buffer->delete_text = delete_text;
}

GtkEntryBuffer *secret_new(void)
{
    return g_object_new(secret_buffer_get_type(), NULL);
}
