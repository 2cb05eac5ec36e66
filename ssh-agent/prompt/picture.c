#include "ssh-agent/prompt/prompt.h"

#include <math.h>

/* Line width; all pictures are drawn in a square from 0 to 1. */
#define STROKE 0.085

static void draw_key(cairo_t *cr)
{
    cairo_arc(cr, 0.3, 0.5, 0.16, 0, 2 * G_PI);
    cairo_move_to(cr, 0.46, 0.5);
    cairo_line_to(cr, 0.88, 0.5);
    cairo_line_to(cr, 0.88, 0.66);
    cairo_move_to(cr, 0.7, 0.5);
    cairo_line_to(cr, 0.7, 0.62);
    cairo_stroke(cr);
}

static void draw_keys(cairo_t *cr)
{
    for (int i = 0; i < 2; i++) {
        cairo_save(cr);
        cairo_translate(cr, 0.08, i ? 0.36 : -0.02);
        cairo_scale(cr, 0.84, 0.66);
        draw_key(cr);
        cairo_restore(cr);
    }
}

/* "#", the prompt of root's shell. */
static void draw_root(cairo_t *cr)
{
    for (int i = 0; i < 2; i++) {
        cairo_move_to(cr, 0.42 + 0.22 * i, 0.18);
        cairo_line_to(cr, 0.34 + 0.22 * i, 0.82);
        cairo_move_to(cr, 0.2, 0.4 + 0.2 * i);
        cairo_line_to(cr, 0.8, 0.4 + 0.2 * i);
    }
    cairo_stroke(cr);
}

static void draw_lock(cairo_t *cr)
{
    cairo_arc(cr, 0.5, 0.38, 0.17, G_PI, 0);
    cairo_line_to(cr, 0.67, 0.48);
    cairo_move_to(cr, 0.33, 0.38);
    cairo_line_to(cr, 0.33, 0.48);
    cairo_stroke(cr);
    cairo_rectangle(cr, 0.22, 0.48, 0.56, 0.36);
    cairo_fill_preserve(cr);
    cairo_stroke(cr);
}

static void draw_globe(cairo_t *cr)
{
    cairo_arc(cr, 0.5, 0.5, 0.38, 0, 2 * G_PI);
    cairo_stroke(cr);
    cairo_move_to(cr, 0.12, 0.5);
    cairo_line_to(cr, 0.88, 0.5);
    cairo_stroke(cr);
    cairo_save(cr);
    cairo_translate(cr, 0.5, 0.5);
    cairo_scale(cr, 0.45, 1);
    cairo_arc(cr, 0, 0, 0.38, 0, 2 * G_PI);
    cairo_restore(cr);
    cairo_stroke(cr);
}

/* A board with a clip at its top, and two lines. */
static void draw_clipboard(cairo_t *cr)
{
    cairo_rectangle(cr, 0.2, 0.18, 0.6, 0.7);
    cairo_stroke(cr);
    cairo_rectangle(cr, 0.36, 0.1, 0.28, 0.16);
    cairo_fill(cr);
    for (int i = 0; i < 2; i++) {
        cairo_move_to(cr, 0.36, 0.48 + 0.2 * i);
        cairo_line_to(cr, 0.64, 0.48 + 0.2 * i);
    }
    cairo_stroke(cr);
}

/* A box, seen from a corner. */
static void draw_box(cairo_t *cr)
{
    static const double corners[][2] = {{0.5, 0.1}, {0.86, 0.3}, {0.86, 0.7},
                                        {0.5, 0.9}, {0.14, 0.7}, {0.14, 0.3}};
    for (gsize i = 0; i < G_N_ELEMENTS(corners); i++)
        cairo_line_to(cr, corners[i][0], corners[i][1]);
    cairo_close_path(cr);
    cairo_move_to(cr, 0.14, 0.3);
    cairo_line_to(cr, 0.5, 0.5);
    cairo_line_to(cr, 0.86, 0.3);
    cairo_move_to(cr, 0.5, 0.5);
    cairo_line_to(cr, 0.5, 0.9);
    cairo_stroke(cr);
}

static void draw_verified(cairo_t *cr)
{
    cairo_arc(cr, 0.5, 0.5, 0.48, 0, 2 * G_PI);
    cairo_move_to(cr, 0.7, 0.35);
    cairo_line_to(cr, 0.44, 0.66);
    cairo_line_to(cr, 0.29, 0.52);
    cairo_line_to(cr, 0.36, 0.45);
    cairo_line_to(cr, 0.435, 0.52);
    cairo_line_to(cr, 0.63, 0.29);
    cairo_close_path(cr);
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
    cairo_fill(cr);
}

static void draw_exclamation(cairo_t *cr, double top, double bottom)
{
    cairo_rectangle(cr, 0.45, top, 0.1, 0.62 * (bottom - top));
    cairo_new_sub_path(cr);
    cairo_arc(cr, 0.5, bottom - 0.05, 0.065, 0, 2 * G_PI);
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
    cairo_fill(cr);
}

static void draw_unverified(cairo_t *cr)
{
    cairo_arc(cr, 0.5, 0.5, 0.48, 0, 2 * G_PI);
    cairo_new_sub_path(cr);
    draw_exclamation(cr, 0.22, 0.8);
}

static void draw_warning(cairo_t *cr)
{
    cairo_move_to(cr, 0.5, 0.04);
    cairo_line_to(cr, 1, 0.94);
    cairo_line_to(cr, 0, 0.94);
    cairo_close_path(cr);
    draw_exclamation(cr, 0.34, 0.85);
}

/* The button of a security key. */
static void draw_touch(cairo_t *cr)
{
    cairo_arc(cr, 0.5, 0.5, 0.42, 0, 2 * G_PI);
    cairo_stroke(cr);
    cairo_arc(cr, 0.5, 0.5, 0.2, 0, 2 * G_PI);
    cairo_fill(cr);
}

static void (*const drawings[])(cairo_t *) = {
    [PICTURE_KEY] = draw_key,
    [PICTURE_ROOT] = draw_root,
    [PICTURE_LOCK] = draw_lock,
    [PICTURE_KEYS] = draw_keys,
    [PICTURE_BOX] = draw_box,
    [PICTURE_VERIFIED] = draw_verified,
    [PICTURE_UNVERIFIED] = draw_unverified,
    [PICTURE_WARNING] = draw_warning,
    [PICTURE_TOUCH] = draw_touch,
    [PICTURE_GLOBE] = draw_globe,
    [PICTURE_CLIPBOARD] = draw_clipboard,
};

static void draw(cairo_t *cr, enum picture which, double size)
{
    cairo_scale(cr, size, size);
    cairo_set_line_width(cr, STROKE);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    drawings[which](cr);
}

static gboolean on_draw(GtkWidget *area, cairo_t *cr, gpointer which)
{
    GtkStyleContext *style = gtk_widget_get_style_context(area);
    int width = gtk_widget_get_allocated_width(area),
        height = gtk_widget_get_allocated_height(area);
    int size = gtk_widget_get_allocated_width(area);
    GdkRGBA colour;

    gtk_render_background(style, cr, 0, 0, width, height);
    gtk_style_context_get_color(style, gtk_widget_get_state_flags(area), &colour);
    gdk_cairo_set_source_rgba(cr, &colour);
    /* An emblem is drawn smaller than its background. */
    double margin = gtk_style_context_has_class(style, "emblem") ? size * 0.19 : 0;
    cairo_translate(cr, margin, margin);
    draw(cr, GPOINTER_TO_INT(which), size - 2 * margin);
    return GDK_EVENT_STOP;
}

GtkWidget *picture_new(enum picture which, int size, const char *class)
{
    GtkWidget *area = gtk_drawing_area_new();

    gtk_widget_set_size_request(area, size, size);
    gtk_widget_set_valign(area, GTK_ALIGN_START);
    gtk_widget_set_halign(area, GTK_ALIGN_START);
    widgets_add_class(area, class);
    g_signal_connect(area, "draw", G_CALLBACK(on_draw), GINT_TO_POINTER(which));
    return area;
}

GdkPixbuf *picture_icon(guint32 colour, int size)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, size, size);
    cairo_t *cr = cairo_create(surface);

    cairo_set_source_rgb(cr, (colour >> 16) / 255.0, ((colour >> 8) & 255) / 255.0,
                         (colour & 255) / 255.0);
    cairo_paint(cr);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_translate(cr, size * 0.15, size * 0.15);
    draw(cr, PICTURE_BOX, size * 0.7);
    cairo_destroy(cr);
    GdkPixbuf *icon = gdk_pixbuf_get_from_surface(surface, 0, 0, size, size);
    cairo_surface_destroy(surface);
    return icon;
}
