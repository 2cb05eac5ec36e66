/* GPUs of the plan that the box will not be able to open. */
#pragma once

#include <jansson.h>

#include "box/registry/registry.h"

/* Says it once for each box, until the next login. KEEP_GROUPS: [security] keep_groups. */
void gpu_note_rights(const box *self, const json_t *request, gboolean keep_groups);
