/* Writes a tar archive: ustar, with pax headers for what does not fit. */
#pragma once

#include "common/tar_entry.h"

/* Appends the headers of ENTRY to OUT. ENTRY->size bytes of contents follow for a file, and then
 * zeros up to a whole block (tar_padding()). */
void tar_write_header(GString *out, const tar_entry *entry);
/* Appends the zeros behind SIZE bytes of contents. */
void tar_write_padding(GString *out, guint64 size);
/* Appends the end mark. */
void tar_write_end(GString *out);
