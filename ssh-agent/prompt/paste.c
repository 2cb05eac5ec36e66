#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proto/clip_content.h"
#include "ssh-agent/prompt/prompt.h"

/* For the program that has copied: a picture comes at once, or it hangs. */
#define ANSWER_SECONDS 5
/* GTK takes all that a program sends, and cannot be told to stop. So this process ends when it has
 * become larger by much more than a picture, in KiB. */
#define GROWTH_MAX ((long)(8 * CLIP_MAX / 1024))
#define LOOK_INTERVAL_MS 20
/* Kept free for the texts below, so that a new one does not change the window. */
#define LINES 2

/* There is one window, so one of these. */
static struct {
    const question_choice *choice; /* that was clicked; NULL: nothing is being read */
    GtkWidget *strip, *text;
    guint number, late; /* of this try; its timer */
    long size;          /* of this process, before anything was read */
} paste;

static long process_size(void)
{
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? used.ru_maxrss : 0;
}

GtkWidget *paste_status_new(void)
{
    const char *text = "Your clipboard is read when you allow it, not before. Only a picture is "
                       "given, without what its file says about you.";
    paste.strip = widgets_box(GTK_ORIENTATION_HORIZONTAL, 10, "note");
    paste.text = text_block(text, NULL, LINES);
    widgets_describe(paste.text, text, NULL);
    gtk_container_add(GTK_CONTAINER(paste.strip), picture_new(PICTURE_CLIPBOARD, 18, "sign"));
    gtk_container_add(GTK_CONTAINER(paste.strip), paste.text);
    return paste.strip;
}

/* This try has ended without a picture. The user may copy one, and allow it again. */
static void fail(const char *why)
{
    g_clear_handle_id(&paste.late, g_source_remove);
    paste.choice = NULL;
    widgets_set_class(paste.strip, "note", FALSE);
    widgets_set_class(paste.strip, "warning", TRUE);
    gtk_label_set_text(GTK_LABEL(paste.text), why);
    widgets_describe(paste.text, why, NULL);
}

static gboolean on_late(gpointer data)
{
    paste.late = 0;
    fail("The program that you have copied from does not hand the picture over.");
    return G_SOURCE_REMOVE;
}

static gboolean on_look(gpointer data)
{
    if (process_size() - paste.size < GROWTH_MAX)
        return G_SOURCE_CONTINUE;
    g_printerr("litterbox-prompt: the program that owns the clipboard sends far too much\n");
    gtk_main_quit();
    return G_SOURCE_REMOVE;
}

/* What comes after its time is not taken for the answer to a later try. */
static gboolean is_current(gpointer number)
{
    return paste.choice && GPOINTER_TO_UINT(number) == paste.number;
}

static gboolean write_picture(const guchar *data, gsize length)
{
    if (ftruncate(QUESTION_PROMPT_DESCRIPTOR, (off_t)length) < 0)
        return FALSE;
    for (gsize done = 0; done < length;) {
        gssize n = pwrite(QUESTION_PROMPT_DESCRIPTOR, data + done, length - done, (off_t)done);
        if (n <= 0)
            return FALSE;
        done += (gsize)n;
    }
    return TRUE;
}

static void give(guchar *picture, gsize length)
{
    enum question_answer answer = paste.choice->answer;
    if (length > CLIP_MAX)
        fail("The picture that you have copied is larger than 16 MiB.");
    else if (clip_clean(CLIP_PICTURE, picture, &length) < 0)
        fail("What you have copied is not a whole picture, or has too many pixels.");
    else if (!write_picture(picture, length))
        fail("The picture cannot be handed over.");
    else
        answer_send(answer);
}

static void on_content(GtkClipboard *clipboard, GtkSelectionData *content, gpointer number)
{
    int length;
    const guchar *data = gtk_selection_data_get_data_with_length(content, &length);
    if (!is_current(number))
        return;
    if (!data || length <= 0) {
        fail("The program that you have copied from gives no picture.");
        return;
    }
    g_autofree guchar *picture = g_malloc((gsize)length);
    memcpy(picture, data, (gsize)length);
    give(picture, (gsize)length);
}

static gboolean has_type(const GdkAtom *types, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (types[i] == gdk_atom_intern(name, FALSE))
            return TRUE;
    return FALSE;
}

static void on_types(GtkClipboard *clipboard, GdkAtom *types, int count, gpointer number)
{
    if (!is_current(number))
        return;
    if (has_type(types, count, CLIP_TYPE_SECRET))
        fail("A password manager has marked what you have copied as secret.");
    else if (!has_type(types, count, CLIP_TYPE_PICTURE))
        fail("There is no picture on your clipboard. Copy one, and allow it again.");
    else
        gtk_clipboard_request_contents(clipboard, gdk_atom_intern(CLIP_TYPE_PICTURE, FALSE),
                                       on_content, number);
}

void paste_begin(const question_choice *choice)
{
    if (paste.choice)
        return;
    if (!paste.size) {
        paste.size = process_size();
        /* At the priority of GDK's events, not above: GDK begins to read from the Wayland display
         * before poll(2), and ends that when its events are looked at. When a timer of a higher
         * priority ends the main loop in between, gtk_main() waits for ever for that read. */
        g_timeout_add(LOOK_INTERVAL_MS, on_look, NULL);
    }
    paste.choice = choice;
    paste.number++;
    paste.late = g_timeout_add_seconds(ANSWER_SECONDS, on_late, NULL);
    gtk_clipboard_request_targets(gtk_clipboard_get(GDK_SELECTION_CLIPBOARD), on_types,
                                  GUINT_TO_POINTER(paste.number));
}
