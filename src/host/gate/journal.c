#include "host/gate/journal.h"

#include <stdbool.h>
#include <string.h>

#include "net/event_loop.h"
#include "net/token_bucket.h"
#include "sys/clock.h"

static void (*write_line)(const char *line);
/* Counted since the last flush; COUNT may be 0: what is alike was written. */
static struct network_record places[JOURNAL_PLACES];
static int n_places;
/* What has no place: by decision and kind. */
static struct network_record others[N_NETWORK_DECISIONS][N_NETWORK_RECORD_KINDS];
static struct token_bucket bucket = {.burst = JOURNAL_BURST, .refill_ms = JOURNAL_REFILL_MS};
static struct event_timer timer;

static void write_record(const struct network_record *record)
{
    char line[NETWORK_RECORD_SIZE];
    network_record_write(record, line);
    write_line(line);
}

static bool is_alike(const struct network_record *a, const struct network_record *b)
{
    return a->decision == b->decision && a->kind == b->kind && a->port == b->port &&
           strcmp(a->name, b->name) == 0 && strcmp(a->rule, b->rule) == 0 &&
           strcmp(a->reason, b->reason) == 0 && strcmp(a->program, b->program) == 0 &&
           strcmp(a->secret, b->secret) == 0;
}

static void count_into(struct network_record *into, const struct network_record *record)
{
    into->count += record->count;
    into->sent += record->sent;
    into->received += record->received;
    if (into->ms < record->ms)
        into->ms = record->ms;
}

void journal_flush(void)
{
    event_timer_stop(&timer);
    for (int i = 0; i < n_places; i++)
        if (places[i].count > 0)
            write_record(&places[i]);
    n_places = 0;
    for (int i = 0; i < N_NETWORK_DECISIONS; i++)
        for (int j = 0; j < N_NETWORK_RECORD_KINDS; j++)
            if (others[i][j].count > 0)
                write_record(&others[i][j]);
    memset(others, 0, sizeof others);
}

static void period_over(struct event_timer *self)
{
    journal_flush();
}

/* A place for what is alike from now on, with RECORD counted in it or not. FALSE: there is none. */
static bool take_place(const struct network_record *record, bool is_counted)
{
    if (n_places == JOURNAL_PLACES)
        return false;
    struct network_record *place = &places[n_places++];
    *place = *record;
    if (!is_counted)
        place->count = place->sent = place->received = place->ms = 0;
    return true;
}

static void count_other(const struct network_record *record)
{
    struct network_record *other = &others[record->decision][record->kind];
    other->decision = record->decision;
    other->kind = record->kind;
    strcpy(other->reason, "there were too many to list");
    count_into(other, record);
}

void journal_add(const struct network_record *record)
{
    /* Each connection that a rule allows is listed by itself, as long as they are not too many. */
    bool is_repeated = record->decision != NETWORK_ALLOWED;
    for (int i = 0; i < n_places; i++)
        if (is_alike(&places[i], record)) {
            count_into(&places[i], record);
            return;
        }
    if (n_places == 0)
        event_timer_set(&timer, JOURNAL_PERIOD_MS);
    if (token_bucket_take(&bucket, clock_ms())) {
        write_record(record);
        if (is_repeated)
            take_place(record, false);
    } else if (!take_place(record, true)) {
        count_other(record);
    }
}

void journal_start(void (*write)(const char *line))
{
    write_line = write;
    timer = (struct event_timer){.expired = period_over};
}
