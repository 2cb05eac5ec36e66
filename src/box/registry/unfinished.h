/*
 * What changes several things of a box leaves a record in the data folder until it is done. Each
 * command repairs what a killed one has left, before it looks for boxes.
 */
#pragma once

#include <glib.h>

/* Below the data folder (common/paths.h). */
#define UNFINISHED_RENAME "boxes/.renaming"
#define UNFINISHED_CLONE "boxes/.cloning"
#define UNFINISHED_TAKE "boxes/.taking"
#define UNFINISHED_RESTORE "boxes/.restoring"

/* TRUE when one of them is there. */
gboolean unfinished_is_there(void);
