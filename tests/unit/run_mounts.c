/* Which options of RUN an old Podman gets. */
#include "box/lifecycle/run_mounts.h"

#include <string.h>

static gboolean is_harmless(const char *text)
{
    g_autofree char *found = NULL;
    gboolean harmless = run_mounts_are_harmless(text, strlen(text), &found);
    g_assert_true(harmless == !found);
    return harmless;
}

static void harmless(void)
{
    g_assert_true(is_harmless(""));
    g_assert_true(
        is_harmless("FROM a\nRUN npm run --silent build\nRUN [\"a\", \"--mount=x\"]\nEOF\n"));
    g_assert_true(is_harmless("# RUN --mount=type=bind\nCOPY --from=x a b\nUSER 0\n"));
    g_assert_true(is_harmless("run --network=none \\\n# a comment\n    --network=default \\\n"
                              "    apt-get update && \\\n    apt-get install x\n"));
    g_assert_true(is_harmless("ONBUILD RUN make\n"));
}

static void harmful(void)
{
    static const char *const texts[] = {
        "RUN --mount=type=bind,source=a,target=/a true",
        "RUN --mount=source=a,target=/a true",
        "RUN --mount=type=cache,target=/root/.npm npm ci",
        "RUN --mount=type=secret,id=a true",
        "RUN --$X=type=bind,source=a,target=/a true",
        "RUN \"--mount=type=bind,source=a\" true",
        "RUN '-'-mount=type=bind,source=a true",
        "RUN \\--mount=type=bind,source=a true",
        "RUN -\\\n-mount=type=bind,source=a true",
        "R\\\nUN --mount=type=bind,source=a true",
        "# escape=`\nR`\nUN --mount=type=bind,source=a true",
        "# escape=`\nENV a=\\\nRUN --mount=type=bind,source=a true",
        "ENV a=`\nRUN --mount=type=bind,source=a true",
        "RUN \\\n\n# a comment\n  --mount=type=bind,source=a true",
        "\\\n\\\nRUN --mount=type=bind,source=a true",
        "RUN --network=none --mount=type=bind,source=a true",
        "RUN --network=none \\\n --mount=type=bind,source=a true",
        "RUN --network=none \"--mount=type=bind,source=a\" true",
        "# escape=`\nRUN --network=none `\n --mount=type=bind,source=a true",
        "RUN --network=host true",
        "ONBUILD RUN --mount=type=bind,source=a true",
        "onbuild\tONBUILD RUN --mount=type=bind,source=a true",
        "ONBUILD ONBUILD ONBUILD ONBUILD ONBUILD ONBUILD ONBUILD ONBUILD ONBUILD RUN --mount=a true",
        "\vRUN\t--mount=type=bind,source=a true\r\n",
        "RUN --network=none \xff--mount=type=bind,source=a true",
        /* Blanks to Go's unicode.IsSpace(). */
        "\u00a0RUN --mount=type=bind,source=a true",
        "RUN \u2003--mount=type=bind,source=a true",
        "\u3000ONBUILD\xc2\x85 RUN --mount=type=bind,source=a true",
        "RUN \\\n\u00a0# a comment\n --mount=type=bind,source=a true",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_test_message("%s", texts[i]);
        g_assert_false(is_harmless(texts[i]));
    }
}

/* A long instruction, and many that go on, take no time that grows with the square. */
static void long_ones(void)
{
    g_autoptr(GString) text = g_string_new("FROM a\n");
    for (int i = 0; i < 20000; i++)
        g_string_append(text, i % 100 ? "\\\n" : "a\\\n");
    g_assert_true(is_harmless(text->str));
    g_string_append(text, "b\nRUN --mount=type=bind,source=a true");
    g_assert_false(is_harmless(text->str));
}

static const char *const arguments[] = {"USER=me", NULL};

static void assert_named(const char *text, const char *expected)
{
    g_autofree char *found = NULL;
    g_autofree char *named =
        run_mounts_name_images(text, strlen(text), (char *const *)arguments, &found);
    g_assert_cmpstr(named, ==, expected);
    g_assert_true(named ? !found : found != NULL);
}

static void assert_same(const char *text)
{
    assert_named(text, text);
}

static void named(void)
{
    assert_same("FROM debian:12 AS x\r\nfrom --platform=$BUILDPLATFORM x@sha256:0\nFROM scratch");
    assert_same("\xEF\xBB\xBF"
                "FROM host:5000/a/b:1\nFROMAGE -\nfrom: -\n");
    /* What goes on is no FROM, unless the escape character may be another one. */
    assert_same("FROM a\nRUN x \\\n  from . \\\n  from -\n");
    assert_named("# escape=`\nFROM a\nRUN x \\\nfrom .\n", NULL);
    assert_named("FROM a\nRUN x \\\n# a \\\nfrom .\n", NULL);
    assert_named("FROM a\nRUN x \\\v\nfrom .\n", NULL);
    assert_named("FROM a\nRUN x \\\xc2\x85\nfrom .\n", NULL);
    assert_same("FROM a\nRUN x \\ \t\r\nfrom .\n");
    assert_named("FROM a\nRUN x \\\\\nFROM oci:a\n", NULL);
    assert_named("FROM a\nRUN <<'E\\'\nE\\\nFROM oci:a\n", NULL);
    assert_same("FROM --platform=${BUILDPLATFORM:-linux/amd64} a\n");
    assert_named("ARG A=b:1 \nARG C=d\nFROM $A AS x\nFROM ${C}:${E:-f}\nFROM $USER\n",
                 "ARG A=b:1 \nARG C=d\nFROM b:1 AS x\nFROM d:f\nFROM me\n");
}

static void not_named(void)
{
    static const char *const texts[] = {
        "FROM oci-archive:/a",
        "FROM oci:a",
        "FROM dir:a/b",
        "ARG A=oci:a\nFROM $A",
        "ARG A=oc\nFROM ${A}i:a",
        "FROM ${A:+oci:a}",
        "FROM /a",
        "FROM ./a",
        "FROM 'a'",
        "FROM --x=' ' oci:a",
        "FROM \\\noci:a",
        "\\\nFROM oci:a",
        "\\\n\\\nFROM oci:a",
        "F\\\nROM oci:a",
        "FROM \xc2\xa0oci:a",
        ("\xc2\xa0"
         "FROM oci:a"),
        "\"FROM\" oci:a",
        "FROM",
        "FROM $B",
        "FROM containers-storage:[overlay@/a]b",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
        assert_named(texts[i], NULL);
}

/* All of the file is read for each, so there is an end. */
static void many(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 100; i++)
        g_string_append(text, "FROM a\n");
    assert_named(text->str, text->str);
    g_string_append(text, "FROM a\n");
    assert_named(text->str, NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/run-mounts/harmless", harmless);
    g_test_add_func("/run-mounts/harmful", harmful);
    g_test_add_func("/run-mounts/long", long_ones);
    g_test_add_func("/run-mounts/named", named);
    g_test_add_func("/run-mounts/not_named", not_named);
    g_test_add_func("/run-mounts/many", many);
    return g_test_run();
}
