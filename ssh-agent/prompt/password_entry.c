#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ssh-agent/prompt/prompt.h"

/*
 * The text of the entry in pages of its own: locked, left out of core dumps, wiped on every
 * deletion and at the end. GTK's own buffer grows by copies on the heap.
 */
G_DECLARE_FINAL_TYPE(SecretBuffer, secret_buffer, LITTERBOX, SECRET_BUFFER, GtkEntryBuffer)

struct _SecretBuffer {
    GtkEntryBuffer parent;
    char *text; /* MAX + 1 bytes in pages of their own */
    gsize length, max;
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

    if (size > self->max - self->length) {
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
}

/* MAX: the most bytes that it takes. */
static GtkEntryBuffer *secret_buffer_new(gsize max)
{
    SecretBuffer *self = g_object_new(secret_buffer_get_type(), NULL);
    self->max = max;
    self->text = mmap(NULL, max + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (self->text == MAP_FAILED)
        g_error("no memory for a password");
    /* Both may be refused (RLIMIT_MEMLOCK); the process is not dumpable either way. */
    (void)mlock(self->text, max + 1);
    (void)madvise(self->text, max + 1, MADV_DONTDUMP);
    return GTK_ENTRY_BUFFER(self);
}

static void secret_buffer_finalize(GObject *object)
{
    SecretBuffer *self = LITTERBOX_SECRET_BUFFER(object);
    explicit_bzero(self->text, self->max + 1);
    munmap(self->text, self->max + 1);
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

/* What is typed: a password, or a value. */
typedef struct {
    const char *name, *label; /* with a mnemonic */
    const char *hint;
    gsize max;
    void (*send)(const char *text);
} entry_use;

G_STATIC_ASSERT(ANSWER_VALUE_MAX <= PIPE_BUF);

/* From the entry's own pages into the pipe, without a copy. Without an answer nobody reads it. */
static void send_value(const char *text)
{
    gsize length = strlen(text);
    if (write(QUESTION_PROMPT_DESCRIPTOR, text, length) == (gssize)length)
        answer_send(QUESTION_ANSWER_ONCE);
    else
        gtk_main_quit();
}

static const entry_use password_use = {"Password", "_Password",
                                       "They stay unlocked until you run 'box keys lock'",
                                       ANSWER_PASSWORD_MAX, answer_send_password};
static const entry_use value_use = {"Value", "_Value", "16 to 4096 characters, without blanks",
                                    ANSWER_VALUE_MAX, send_value};

static gboolean gives_value(const question *asked)
{
    return question_kind_traits(asked->kind)->gives == QUESTION_GIVES_VALUE;
}

gboolean password_entry_is_wanted(const question *asked)
{
    return gives_value(asked) ||
           question_kind_traits(asked->kind)->replies == QUESTION_ANSWER_PASSWORD;
}

typedef struct {
    struct prompt *prompt;
    const entry_use *use;
    GtkWidget *yes;
    GtkEntry *entry;
    GtkLabel *hint;
} password_entry;

static gboolean is_complete(const password_entry *self)
{
    return *gtk_entry_get_text(self->entry);
}

static void submit(password_entry *self)
{
    if (is_complete(self) && click_guard_accepts(self->prompt->guard))
        self->use->send(gtk_entry_get_text(self->entry));
}

static void on_submit(GtkButton *button, gpointer data)
{
    submit(data);
}

static void refresh(password_entry *self)
{
    GdkKeymap *keymap = gdk_keymap_get_for_display(gdk_display_get_default());
    gboolean wrong = gdk_keymap_get_caps_lock_state(keymap);

    gtk_label_set_text(self->hint, wrong ? "Caps Lock is on" : self->use->hint);
    widgets_set_class(GTK_WIDGET(self->hint), "wrong", wrong);
    gtk_widget_set_sensitive(self->yes, is_complete(self));
}

static void on_change(GtkEditable *editable, gpointer data)
{
    refresh(data);
}

static void on_keymap(GdkKeymap *keymap, gpointer grid)
{
    refresh(g_object_get_data(G_OBJECT(grid), "password"));
}

static GtkEntry *add_entry(GtkWidget *grid, password_entry *self)
{
    g_autoptr(GtkEntryBuffer) buffer = secret_buffer_new(self->use->max);
    GtkWidget *entry = gtk_entry_new_with_buffer(buffer);
    GtkWidget *label = gtk_label_new_with_mnemonic(self->use->label);

    gtk_entry_set_visibility(GTK_ENTRY(entry), FALSE);
    gtk_entry_set_input_purpose(GTK_ENTRY(entry), GTK_INPUT_PURPOSE_PASSWORD);
    g_object_set(entry, "caps-lock-warning", FALSE, NULL);
    gtk_widget_set_hexpand(entry, TRUE);
    gtk_label_set_mnemonic_widget(GTK_LABEL(label), entry);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    widgets_add_class(label, "fact-label");
    gtk_grid_attach(GTK_GRID(grid), label, 0, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), entry, 1, 0, 1, 1);
    widgets_describe(entry, self->use->name, NULL);
    g_signal_connect(entry, "changed", G_CALLBACK(on_change), self);
    return GTK_ENTRY(entry);
}

GtkWidget *password_entry_new(struct prompt *shared, GtkWidget *yes)
{
    GdkKeymap *keymap = gdk_keymap_get_for_display(gdk_display_get_default());
    password_entry *self = g_new0(password_entry, 1);
    GtkWidget *grid = gtk_grid_new();

    gtk_grid_set_row_spacing(GTK_GRID(grid), 8);
    gtk_grid_set_column_spacing(GTK_GRID(grid), 16);
    self->prompt = shared;
    self->use = gives_value(shared->question) ? &value_use : &password_use;
    self->yes = yes;
    self->hint = GTK_LABEL(text_line("", "hint"));
    self->entry = add_entry(grid, self);
    gtk_grid_attach(GTK_GRID(grid), GTK_WIDGET(self->hint), 1, 1, 1, 1);
    g_object_set_data_full(G_OBJECT(grid), "password", self, g_free);
    g_signal_connect(yes, "clicked", G_CALLBACK(on_submit), self);
    g_signal_connect_object(keymap, "state-changed", G_CALLBACK(on_keymap), grid, 0);
    refresh(self);
    return grid;
}

GtkWidget *password_entry_focus(GtkWidget *grid)
{
    password_entry *self = g_object_get_data(G_OBJECT(grid), "password");
    return GTK_WIDGET(self->entry);
}

gboolean password_entry_submit(GtkWidget *grid)
{
    password_entry *self = g_object_get_data(G_OBJECT(grid), "password");

    if (!is_complete(self))
        return FALSE;
    submit(self);
    return TRUE;
}
