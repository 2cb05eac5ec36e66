/* What the server tells, until it has gone. */
#pragma once

void events_run(void);
