/* The fingerprint by which a container is held against its plan. */
#include "plan/plan.h"

#include <stdlib.h>

char *plan_hash(const json_t *request)
{
    /* Shallow copies are enough: only the labels object is changed, and it is replaced. */
    json_auto_t *copy = json_copy((json_t *)request);
    json_t *labels = json_object_get(copy, "labels");

    if (json_is_object(labels)) {
        json_t *rest = json_copy(labels);
        json_object_del(rest, PLAN_LABEL_PLAN);
        json_object_set_new(copy, "labels", rest);
    }
    char *text = json_dumps(copy, JSON_SORT_KEYS | JSON_COMPACT);
    char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text ? text : "", -1);
    free(text);
    return hash;
}
