/* Which calls of wl-paste and xclip ask for a picture: those that AI agents really make. */
#include <glib.h>

#include "guest/shims/paste_arguments.h"

typedef struct {
    const char *call;
    enum paste_request request;
} row;

static void expect(const row *rows, gsize count, enum paste_request (*request)(char *const *))
{
    for (gsize i = 0; i < count; i++) {
        g_auto(GStrv) words = g_strsplit(rows[i].call, " ", -1);
        if (request(words) != rows[i].request)
            g_error("'%s'", rows[i].call);
    }
}

static void wl_paste(void)
{
    static const row rows[] = {
        {"wl-paste -l", PASTE_TYPES},           /* Claude Code */
        {"wl-paste --list-types", PASTE_TYPES}, /* Gemini CLI */
        {"wl-paste --type image/png", PASTE_PICTURE},
        {"wl-paste -t image/png", PASTE_PICTURE}, /* opencode */
        {"wl-paste --no-newline --type image/png", PASTE_PICTURE},
        {"wl-paste --type=image/png -n", PASTE_PICTURE},
        {"wl-paste -timage/png", PASTE_PICTURE},
        {"wl-paste -t image", PASTE_PICTURE}, /* Pillow's ImageGrab */
        {"wl-paste", PASTE_OTHER},
        {"wl-paste --no-newline", PASTE_OTHER},
        {"wl-paste --type image/bmp", PASTE_OTHER},
        {"wl-paste --type text/plain", PASTE_OTHER},
        {"wl-paste --type", PASTE_OTHER},
        {"wl-paste -t", PASTE_OTHER},
        {"wl-paste --primary -l", PASTE_OTHER},
        {"wl-paste -p --type image/png", PASTE_OTHER},
        {"wl-paste --watch -t image/png cat", PASTE_OTHER},
        {"wl-paste -ln", PASTE_OTHER},
        {"wl-paste --version", PASTE_OTHER},
    };
    expect(rows, G_N_ELEMENTS(rows), paste_request_wl_paste);
}

static void xclip(void)
{
    static const row rows[] = {
        {"xclip -selection clipboard -t TARGETS -o", PASTE_TYPES},
        {"xclip -selection clipboard -t image/png -o", PASTE_PICTURE},
        {"xclip -o -sel c -target image/png", PASTE_PICTURE},
        {"xclip -out -se clip -t TARGETS", PASTE_TYPES},
        {"xclip -selection clipboard -t image/bmp -o", PASTE_OTHER},
        {"xclip -selection clipboard -o", PASTE_OTHER},
        {"xclip -selection clipboard", PASTE_OTHER},
        {"xclip -selection primary -t image/png -o", PASTE_OTHER},
        {"xclip -t image/png -o", PASTE_OTHER}, /* the primary selection */
        {"xclip -selection clipboard -t image/png -i a.png", PASTE_OTHER},
        {"xclip -selection clipboard -t image/png -o -d :1", PASTE_OTHER},
        {"xclip -selection clipboard -o -t", PASTE_OTHER},
        {"xclip -s clipboard -t TARGETS -o", PASTE_OTHER}, /* -silent, too, begins so */
        {"xclip", PASTE_OTHER},
    };
    expect(rows, G_N_ELEMENTS(rows), paste_request_xclip);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/paste-arguments/wl-paste", wl_paste);
    g_test_add_func("/paste-arguments/xclip", xclip);
    return g_test_run();
}
