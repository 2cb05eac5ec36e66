#include "tree/tree.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The longest body of each type. */
static const uint32_t body_max[] = {
    [TREE_FILE] = TREE_NAME_MAX,
    [TREE_FOLDER] = TREE_NAME_MAX,
    [TREE_LINK] = TREE_NAME_MAX + 1 + TREE_TARGET_MAX,
    [TREE_DATA] = TREE_DATA_MAX,
    [TREE_END] = 0,
    [TREE_NOTE] = TREE_TEXT_MAX,
    [TREE_FAILED] = TREE_TEXT_MAX,
    [TREE_DONE] = 0,
};

/* An entry begins: in a folder, or as the top. */
static int begin_entry(struct tree_state *self, const struct tree_header *header)
{
    if (self->in_file || (self->has_top && self->depth == 0))
        return -1;
    if (header->type == TREE_FOLDER && self->depth == TREE_DEPTH_MAX)
        return -1;
    self->has_top = 1;
    self->in_file = header->type == TREE_FILE;
    self->depth += header->type == TREE_FOLDER;
    self->at = 0;
    return 0;
}

static int take_data(struct tree_state *self, const struct tree_header *header)
{
    if (!self->in_file || header->offset < self->at || header->offset > INT64_MAX - TREE_DATA_MAX)
        return -1;
    self->at = header->offset + header->length;
    return 0;
}

static int end_entry(struct tree_state *self, const struct tree_header *header)
{
    if (self->in_file) {
        self->in_file = 0;
        return header->offset < self->at || header->offset > INT64_MAX ? -1 : 0;
    }
    return self->depth-- > 0 ? 0 : -1;
}

int tree_check_header(struct tree_state *self, const struct tree_header *header)
{
    if (self->has_ended || header->type < TREE_FILE || header->type > TREE_DONE ||
        header->length > body_max[header->type])
        return -1;
    switch ((enum tree_record)header->type) {
    case TREE_FILE:
    case TREE_FOLDER:
    case TREE_LINK:
        return begin_entry(self, header);
    case TREE_DATA:
        return take_data(self, header);
    case TREE_END:
        return end_entry(self, header);
    case TREE_NOTE:
        return 0;
    case TREE_FAILED:
        self->has_ended = 1;
        return 0;
    case TREE_DONE:
        self->has_ended = 1;
        return self->in_file || self->depth ? -1 : 0;
    }
    return -1;
}

int tree_name_is_valid(const char *name, size_t length)
{
    if (length == 0 || length > TREE_NAME_MAX || memchr(name, '/', length) ||
        memchr(name, '\0', length))
        return 0;
    return !(length == 1 && name[0] == '.') && !(length == 2 && memcmp(name, "..", 2) == 0);
}

int tree_check_body(const struct tree_header *header, const char *body, int in_top,
                    const char **target)
{
    size_t length = header->length, name = length;
    if (header->type != TREE_FILE && header->type != TREE_FOLDER && header->type != TREE_LINK)
        return 0;
    if (header->type == TREE_LINK) {
        name = strnlen(body, length);
        if (name == length)
            return -1;
        *target = body + name + 1;
        size_t rest = length - name - 1;
        if (rest == 0 || rest > TREE_TARGET_MAX || memchr(*target, '\0', rest))
            return -1;
    }
    return (in_top && name == 0) || tree_name_is_valid(body, name) ? 0 : -1;
}

int tree_write(int fd, const void *data, size_t length)
{
    for (const char *at = data; length;) {
        ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        at += n;
        length -= (size_t)n;
    }
    return 0;
}

int tree_read(int fd, void *data, size_t length)
{
    for (char *at = data; length;) {
        ssize_t n = read(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = 0;
        if (n <= 0)
            return -1;
        at += n;
        length -= (size_t)n;
    }
    return 0;
}

int tree_write_text(int fd, enum tree_record type, const char *text)
{
    struct tree_header header = {.type = type, .length = (uint32_t)strnlen(text, TREE_TEXT_MAX)};
    return tree_write(fd, &header, sizeof header) < 0 || tree_write(fd, text, header.length) < 0
               ? -1
               : 0;
}
