/* The server ends so long after its last client (-terminate): we are not to be that. */
#pragma once

/* Says so, where the server can be told (XFixes 6, X.Org 21.1). -1: the server has gone. */
int last_of_clients(void);
