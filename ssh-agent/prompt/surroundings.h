/*
 * What this program does not want from whoever started it. It runs with the user's own environment,
 * which a shell in a project's folder may have added to: nothing in there may load code into the
 * window that asks, or restyle it.
 */
#pragma once

/* Not dumpable, not traceable, no core file. */
void surroundings_harden(void);

/*
 * Forgets every variable of GTK and its libraries but those that say which display, how its input
 * comes, and its scale, and the address of a bus that is no socket, and keeps GTK from loading what
 * this program does not need. To be called before gtk_init().
 */
void surroundings_clean(void);
