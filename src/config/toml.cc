/* The bridge to toml++: see toml.h. Depth is bounded before and while toml++ parses. */
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

#include "config/toml.h"

extern "C" {
#include "common/text.h"
}

static_assert(TOML_MAX_NESTED_VALUES == TOML_DEPTH_MAX, "toml.h documents the limit");

static toml_place place(const toml::source_position &position) {
    return {static_cast<guint>(position.line), static_cast<guint>(position.column)};
}

static char *copy(std::string_view text) {
    char *result = static_cast<char *>(g_malloc(text.size() + 1));
    if (!text.empty())
        memcpy(result, text.data(), text.size());
    result[text.size()] = '\0';
    return result;
}

static toml_tree *convert(const toml::node &node);

static void add(toml_tree *parent, toml_tree *child) {
    g_ptr_array_add(parent->children, child);
}

static void convert_table(toml_tree *tree, const toml::table &table) {
    for (auto &&[key, value] : table) {
        toml_tree *child = convert(value);
        child->key = copy(key.str());
        child->key_length = key.str().size();
        child->key_at = place(key.source().begin);
        add(tree, child);
    }
}

static toml_tree *convert(const toml::node &node) {
    toml_tree *tree = g_new0(toml_tree, 1);
    tree->at = place(node.source().begin);
    tree->kind = TOML_DATE;
    if (auto *text = node.as_string()) {
        tree->kind = TOML_STRING;
        tree->string = copy(text->get());
        tree->length = text->get().size();
    } else if (auto *integer = node.as_integer()) {
        tree->kind = TOML_INTEGER;
        tree->integer = integer->get();
    } else if (auto *number = node.as_floating_point()) {
        tree->kind = TOML_DOUBLE;
        tree->number = number->get();
    } else if (auto *boolean = node.as_boolean()) {
        tree->kind = TOML_BOOLEAN;
        tree->boolean = boolean->get();
    } else if (auto *array = node.as_array()) {
        tree->kind = TOML_ARRAY;
        tree->children = g_ptr_array_new_with_free_func((GDestroyNotify)toml_free);
        for (auto &&value : *array)
            add(tree, convert(value));
    } else if (auto *table = node.as_table()) {
        tree->kind = TOML_TABLE;
        tree->children = g_ptr_array_new_with_free_func((GDestroyNotify)toml_free);
        convert_table(tree, *table);
    }
    return tree;
}

toml_tree *toml_parse(const char *text, gsize length, toml_place *at, char **message) {
    if (!toml_depth_ok(text, length, at)) {
        *message = g_strdup_printf("a key has more than %d segments", TOML_DEPTH_MAX);
        return nullptr;
    }
    toml::parse_result result = toml::parse(std::string_view(text, length));
    if (!result) {
        std::string_view description = result.error().description();
        *at = place(result.error().source().begin);
        *message = text_safe_max(description.data(), description.size(), 200);
        return nullptr;
    }
    return convert(result.table());
}
