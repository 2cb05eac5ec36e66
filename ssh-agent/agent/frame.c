#include "ssh-agent/agent/frame.h"

#include "common/text.h"

json_t *frame_new(const agent_box *box, const char *kind, const char *headline)
{
    g_autofree char *colour = identity_colour(box->agent, box->name);
    g_autofree char *phrase = identity_phrase(box->agent);
    g_autofree char *project = text_safe(box->project, -1);
    return json_pack("{s:i, s:s, s:{s:s, s:s, s:s}, s:s, s:s, s:s, s:s, s:[], s:[], s:[], s:[],"
                     " s:[], s:b, s:i}",
                     "version", 1, "kind", kind, "box", "name", box->name, "project", project,
                     "colour", colour, "phrase", phrase, "headline", headline, "verdict", "none",
                     "verdict_text", "", "known", "claimed", "chain", "warnings", "choices", "mute",
                     FALSE, "timeout", QUESTIONS_SECONDS);
}
