/* Which values are read from the user's files, which are ignored, and what is written. */
#include <glib.h>
#include <string.h>

#include "appearance/appearance.h"
#include "appearance/gvdb.h"
#include "appearance_recorded.h"

#define INTERFACE "/org/gnome/desktop/interface/"

static appearance *of_gtk(const char *text)
{
    appearance *self = appearance_new();
    appearance_parse_gtk(self, text, strlen(text), FALSE);
    return self;
}

static void dconf_is_read(void)
{
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
    g_autoptr(appearance) self = appearance_new();

    appearance_parse_dconf(self, (const char *)recorded_dconf, sizeof recorded_dconf);
    g_assert_cmpstr(self->values[APPEARANCE_THEME], ==, "Foo");
    g_assert_cmpstr(self->values[APPEARANCE_CURSOR_SIZE], ==, "48");
    g_assert_cmpstr(self->values[APPEARANCE_TEXT_SCALE], ==, "1.25");
    g_assert_cmpstr(self->values[APPEARANCE_SCHEME], ==, "prefer-dark");
    g_assert_null(self->values[APPEARANCE_ICONS]);
#else
    g_test_skip("the recorded database is of the other byte order, which is not read");
#endif
}

/* Cut off at each byte, and with each bit flipped: no read beyond the data. */
static void damaged_dconf_is_read_safely(void)
{
    for (gsize length = 0; length <= sizeof recorded_dconf; length++) {
        g_autofree char *copy = g_memdup2(recorded_dconf, length);
        g_autoptr(appearance) self = appearance_new();
        appearance_parse_dconf(self, copy, length);
    }
    for (gsize i = 0; i < sizeof recorded_dconf; i++)
        for (int bit = 0; bit < 8; bit++) {
            g_autofree char *copy = g_memdup2(recorded_dconf, sizeof recorded_dconf);
            g_autoptr(appearance) self = appearance_new();
            copy[i] = (char)(copy[i] ^ (1 << bit));
            appearance_parse_dconf(self, copy, sizeof recorded_dconf);
        }
}

static void what_is_written_is_read(void)
{
    g_autoptr(appearance) self =
        of_gtk("[Settings]\ngtk-theme-name=Bar Dark\ngtk-cursor-theme-size=32\n"
               "gtk-enable-animations=0\n");
    g_autoptr(appearance) again = appearance_new();
    GByteArray *made = appearance_dconf(self);

    appearance_parse_dconf(again, (const char *)made->data, made->len);
    g_byte_array_unref(made);
    for (int i = 0; i < APPEARANCE_N_PROPERTIES; i++)
        g_assert_cmpstr(self->values[i], ==, again->values[i]);
    g_assert_cmpstr(again->values[APPEARANCE_THEME], ==, "Bar Dark");
    g_assert_cmpstr(again->values[APPEARANCE_ANIMATIONS], ==, "false");
}

/* A box's dconf needs a file even when nothing is known. */
static void empty_database_is_written(void)
{
    g_autoptr(appearance) self = appearance_new();
    GByteArray *made = appearance_dconf(self);

    g_assert_cmpuint(made->len, ==, 32);
    g_assert_null(gvdb_get((const char *)made->data, made->len, INTERFACE "gtk-theme"));
    g_byte_array_unref(made);
}

static void dconf_comes_before_gtk(void)
{
    GVariant *theme = g_variant_ref_sink(g_variant_new_string("FromDconf"));
    GVariant *size = g_variant_ref_sink(g_variant_new_string("no number"));
    gvdb_entry entries[] = {{INTERFACE "gtk-theme", theme}, {INTERFACE "cursor-size", size}};
    GByteArray *made = gvdb_make(entries, 2);
    g_autoptr(appearance) self = appearance_new();
    static const char gtk[] = "[Settings]\ngtk-theme-name=FromGtk\ngtk-cursor-theme-size=40\n";

    appearance_parse_dconf(self, (const char *)made->data, made->len);
    appearance_parse_gtk(self, gtk, strlen(gtk), FALSE);
    g_assert_cmpstr(self->values[APPEARANCE_THEME], ==, "FromDconf");
    g_assert_cmpstr(self->values[APPEARANCE_CURSOR_SIZE], ==, "40");
    g_byte_array_unref(made);
    g_variant_unref(theme);
    g_variant_unref(size);
}

static void wrong_values_are_ignored(void)
{
    static const char *const wrong[] = {
        "gtk-theme-name=../../tmp/x",
        "gtk-theme-name=.hidden",
        "gtk-theme-name=",
        "gtk-theme-name=a\033[2Jb",
        "gtk-theme-name=a\xe2\x80\xaez",
        "gtk-theme-name=a\\nb",
        "gtk-theme-name=$(id)",
        "gtk-cursor-theme-size=0",
        "gtk-cursor-theme-size=100000",
        "gtk-cursor-theme-size=24x",
        "gtk-cursor-theme-size=1.5",
        "gtk-cursor-theme-size=nan",
        "gtk-font-name=\"x",
        "gtk-enable-animations=maybe",
        "gtk-xft-rgba=none none",
        "gtk-modules=/tmp/evil.so",
        "gtk-im-module=ibus",
        "[Other]\ngtk-theme-name=Foo",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *text = g_strconcat("[Settings]\n", wrong[i], "\n", NULL);
        g_autoptr(appearance) self = of_gtk(text);
        g_autofree char *made = appearance_gtk(self, FALSE);
        g_assert_cmpstr(made, ==, "[Settings]\n");
    }
    g_autofree char *name = g_strnfill(129, 'a');
    g_autofree char *text = g_strconcat("[Settings]\ngtk-theme-name=", name, "\n", NULL);
    g_autoptr(appearance) self = of_gtk(text);
    g_assert_null(self->values[APPEARANCE_THEME]);
}

static void gtk_is_written(void)
{
    static const char four[] = "[Settings]\ngtk-application-prefer-dark-theme=true\n";
    g_autoptr(appearance) self =
        of_gtk("# comment\n\n[Settings]\r\n gtk-font-name = Noto Sans 11 \n"
               "gtk-decoration-layout=close,minimize:menu\n"
               "gtk-xft-hintstyle=hintslight");
    self->values[APPEARANCE_TEXT_SCALE] = g_strdup("1.5");
    self->values[APPEARANCE_SCHEME] = g_strdup("prefer-dark");
    g_autofree char *gtk3 = appearance_gtk(self, FALSE);
    g_autofree char *gtk4 = appearance_gtk(self, TRUE);

    g_assert_cmpstr(gtk3, ==,
                    "[Settings]\ngtk-font-name=Noto Sans 11\n"
                    "gtk-decoration-layout=close,minimize:menu\ngtk-xft-hintstyle=hintslight\n"
                    "gtk-application-prefer-dark-theme=true\ngtk-xft-dpi=147456\n");
    g_assert_null(strstr(gtk4, "dark"));
    appearance_parse_gtk(self, four, strlen(four), TRUE);
    g_autofree char *dark4 = appearance_gtk(self, TRUE);
    g_assert_nonnull(strstr(dark4, "gtk-application-prefer-dark-theme=true"));
}

static void kde_is_filtered(void)
{
    static const char text[] =
        "[$Version]\nupdate_info=x\n"
        "[Colors:View]\nBackgroundNormal=27,30,32\nbad key=1\n"
        "BackgroundNormal[$e]=$(id)\n"
        "[Colors:Header][Inactive]\nBackgroundNormal=1,2,3\n"
        "[General]\nColorScheme=BreezeDark\nBrowserApplication=evil.desktop\n"
        "font=Noto Sans,10,-1,5,50,0,0,0,0,0\n"
        "[KFileDialog Settings]\nRecent Files=/home/me/secret\n"
        "[Icons]\nTheme=breeze-dark\n[KDE]\nwidgetStyle=$HOME/x\n";
    g_autoptr(appearance) self = appearance_new();

    appearance_parse_kde(self, text, strlen(text));
    g_assert_cmpstr(self->kde->str, ==,
                    "[Colors:View]\nBackgroundNormal=27,30,32\n"
                    "[Colors:Header][Inactive]\nBackgroundNormal=1,2,3\n"
                    "[General]\nColorScheme=BreezeDark\nfont=Noto Sans,10,-1,5,50,0,0,0,0,0\n"
                    "[Icons]\nTheme=breeze-dark\n");
}

static void cursor_is_written(void)
{
    g_autoptr(appearance) self =
        of_gtk("[Settings]\ngtk-cursor-theme-name=Big\ngtk-cursor-theme-size=64\n");
    g_autoptr(appearance) none = of_gtk("[Settings]\ngtk-cursor-theme-name=default\n");
    g_autofree char *index = appearance_cursor(self);
    g_auto(GStrv) env = appearance_environment(self);

    g_assert_nonnull(strstr(index, "\nInherits=Big\n"));
    g_assert_cmpstr(env[0], ==, "XCURSOR_THEME=Big");
    g_assert_cmpstr(env[1], ==, "XCURSOR_SIZE=64");
    g_assert_null(env[2]);
    g_assert_null(appearance_cursor(none));
}

static void variables_that_pass(void)
{
    static const char *const good[] = {"GDK_SCALE=2", "GTK_THEME=Adwaita:dark",
                                       "QT_SCREEN_SCALE_FACTORS=eDP-1=1.5;DP-2=1",
                                       "XDG_CURRENT_DESKTOP=ubuntu:GNOME"};
    static const char *const bad[] = {"GTK_IM_MODULE=ibus",   "QT_IM_MODULE=fcitx",
                                      "XMODIFIERS=@im=ibus",  "GTK_MODULES=x",
                                      "GTK_THEME=../x",       "QT_QPA_PLATFORMTHEME=/tmp/x",
                                      "GDK_SCALE=",           "GDK_SCALE",
                                      "QT_PLUGIN_PATH=x",     "GTK_THEME=a\nb",
                                      "QT_STYLE_OVERRIDE=.x", "GTK_PATH=x"};
    for (gsize i = 0; i < G_N_ELEMENTS(good); i++)
        g_assert_true(appearance_passes_variable(good[i]));
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(appearance_passes_variable(bad[i]));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/appearance/dconf", dconf_is_read);
    g_test_add_func("/appearance/dconf-damaged", damaged_dconf_is_read_safely);
    g_test_add_func("/appearance/dconf-written", what_is_written_is_read);
    g_test_add_func("/appearance/dconf-empty", empty_database_is_written);
    g_test_add_func("/appearance/order", dconf_comes_before_gtk);
    g_test_add_func("/appearance/wrong", wrong_values_are_ignored);
    g_test_add_func("/appearance/gtk", gtk_is_written);
    g_test_add_func("/appearance/kde", kde_is_filtered);
    g_test_add_func("/appearance/cursor", cursor_is_written);
    g_test_add_func("/appearance/variables", variables_that_pass);
    return g_test_run();
}
