/* Which images a Containerfile starts from. */
#include "box/lifecycle/base_images.h"

#include <string.h>

static void assert_images(const char *contents, const char *expected)
{
    char *args[] = {"UID=1000", "GIVEN=given.example.org/a", NULL};
    g_autoptr(GPtrArray) images = base_images_parse(contents, strlen(contents), args);
    g_ptr_array_add(images, NULL);
    g_autofree char *got = g_strjoinv(" ", (char **)images->pdata);
    g_assert_cmpstr(got, ==, expected);
}

static void names(void)
{
    assert_images("FROM debian:bookworm\n", "debian:bookworm");
    assert_images("from --platform=linux/amd64 a.example.org:5000/b/c@sha256:12\n",
                  "a.example.org:5000/b/c@sha256:12");
    assert_images("# FROM no\n  # FROM no\nFROM \\\n# a comment\n  debian\nRUN echo FROM no\n",
                  "debian");
    assert_images("FROM a\r\nFROM a\n", "a");
    assert_images("FROM", "");
}

static void stages(void)
{
    assert_images("FROM a AS Build\nFROM b\nCOPY --from=build /x /\nCOPY --chown=1 --from=c /x /\n"
                  "COPY --from=0 /x /\nFROM BUILD\nFROM scratch\n",
                  "a b c");
}

static void arguments(void)
{
    assert_images("ARG BASE=docker.io/library/debian:bookworm\nFROM $BASE\n",
                  "docker.io/library/debian:bookworm");
    assert_images("ARG A=1 B=\"two\"\nARG C=${A}-x\nFROM a:${B}-$C\nFROM b:${NONE:-${A}}\n",
                  "a:two-1-x");
    assert_images("ARG V\nFROM a:${V:-3}\n", "a:3");
    assert_images("ARG V=1\nARG V=2\nFROM a:$V\nARG V=3\nFROM b:$V\n", "a:2 b:2");
    assert_images("ARG GIVEN=other\nFROM $GIVEN\n", "given.example.org/a");
    /* What is not understood is not guessed. */
    assert_images("FROM a:$NONE\nFROM b:${A:+x}\nFROM ${\nFROM $\nFROM a$$\n", "");
}

static void heredocs(void)
{
    assert_images("FROM a\nRUN cat <<EOF >x\nfrom os import path\nEOF\nFROM b\n", "a b");
    assert_images("FROM a\nCOPY <<-\"END\" /x\n\tFROM no\n\tEND\nRUN cat << x\nFROM b\n", "a b");
    assert_images("FROM a\nRUN <<EOF\nFROM no\n", "a");
}

static void mounts(void)
{
    assert_images(
        "FROM a AS s\nRUN --mount=type=bind,from=b.example.org/c:1,target=/x --mount=from=s,target=/y true\n",
        "a b.example.org/c:1");
}

/* No other way to get an image, and no text that would be none. */
static void strange(void)
{
    g_autoptr(GString) many = g_string_new(NULL);
    assert_images("FROM oci-archive:/etc/passwd\nFROM docker://a\nFROM a?b=c\nFROM a%2fb\n", "");
    for (int i = 0; i < 2 * BASE_IMAGES_MAX; i++)
        g_string_append_printf(many, "FROM a%d\n", i);
    g_autoptr(GPtrArray) images = base_images_parse(many->str, many->len, NULL);
    g_assert_cmpuint(images->len, ==, BASE_IMAGES_MAX);
    g_string_assign(many, "ARG A=xxxxxxxxxxxxxxxx\n");
    g_string_append(many,
                    "ARG B=$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A"
                    "$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A\nFROM $B\n");
    assert_images(many->str, "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base_images/names", names);
    g_test_add_func("/base_images/stages", stages);
    g_test_add_func("/base_images/arguments", arguments);
    g_test_add_func("/base_images/heredocs", heredocs);
    g_test_add_func("/base_images/mounts", mounts);
    g_test_add_func("/base_images/strange", strange);
    return g_test_run();
}
