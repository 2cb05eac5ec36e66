#include "host/secrets/held_secret.h"

#include <string.h>

#include "host/secrets/login.h"

const secret *held_secret_value(const held_secret *self)
{
    return self->login ? self->login->now.token[TOKEN_ACCESS] : self->value;
}

/* The phantom of an access token stands for the one that is good now, of any generation. */
static gboolean is_access_phantom(const held_secret *self, struct http_text text)
{
    enum login_token which;
    guint32 generation;
    return held_secret_value(self) &&
           phantom_read(&self->login->maker, text.text, text.length, &which, &generation) &&
           which == TOKEN_ACCESS;
}

gboolean held_secret_is_named(const held_secret *self, struct http_text text)
{
    if (self->login)
        return is_access_phantom(self, text);
    return http_is_exactly(text, self->placeholder);
}
