/* Files in memory that a box writes to in place of one of the host. */
#pragma once

/* A new one, or -1 with errno. */
int memory_file_new(void);
/* One that stays empty: writing to it is refused with EPERM. -1 with errno. */
int memory_file_new_empty(void);
/* FD, such a file, opened anew as FLAGS of open(2) say. -1 with errno. */
int memory_file_open(int fd, int flags);
