/* What the user is told when a container is created. */
#pragma once

#include "box/lifecycle/container.h"
#include "config/config.h"
#include "plan/plan.h"

/* Warnings of PLANNED; IS_NEW: those about the container, too. */
void create_notes_show(const plan *planned, gboolean is_new);
/* Once: which GPUs of REQUEST the box cannot open; the flag is reset at the next login. */
void create_notes_gpu(const struct box *self, const json_t *request, gboolean keep_groups);
/* The container NOW, which another one is to replace, had an open network, as was the default once,
 * and LOADED has the default of today. */
void create_notes_network(const struct box *self, const config *loaded, const box_container *now);
