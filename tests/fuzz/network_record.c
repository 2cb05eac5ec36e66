/* Fuzzes a line of the log of a filtered network. What is a record is the same after it is written
 * and read again, and can be shown. */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "proto/network_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *line = g_strndup((const char *)data, size);
    struct network_record record, again;
    char written[NETWORK_RECORD_SIZE], twice[NETWORK_RECORD_SIZE];
    if (network_record_parse(line, &record) < 0)
        return 0;
    network_record_write(&record, written);
    for (const char *c = written; *c; c++)
        assert(*c >= ' ' && *c <= '~');
    assert(network_record_parse(written, &again) == 0);
    network_record_write(&again, twice);
    assert(strcmp(written, twice) == 0);
    return 0;
}
