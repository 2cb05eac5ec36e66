/* What `box` and litterbox-ssh-agent have in common: names in the user's runtime folder. */
#pragma once

/* What the agent's lock and log are called (host/supervisor/helper_lock.h). */
#define AGENT_HELPER "agent"
/* The agent's folder. No box can have this name, as names of boxes do not begin with a dot. */
#define AGENT_FOLDER ".agent"
/* In it: the control socket, and the folders that are mounted into boxes, each called like its box.
 */
#define AGENT_CONTROL "control"
#define AGENT_BOXES "boxes"
