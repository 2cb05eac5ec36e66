/* What a file system can do. */
#pragma once

/* 1 when names in FOLDER differ by case for sure. */
int guard_folder_has_case(int folder);
/* 1 when files in FOLDER can have several names for sure. */
int guard_folder_has_links(int folder);
