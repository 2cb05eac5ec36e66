/* The small parts of src/net: token buckets and byte queues. */
#include <glib.h>
#include <string.h>

#include "net/byte_queue.h"
#include "net/token_bucket.h"

static void bucket_allows_a_burst_then_refills(void)
{
    struct token_bucket self = {.gap_ms = 1000, .burst = 3, .refill_ms = 10000};
    g_assert_true(token_bucket_take(&self, 5000));
    g_assert_false(token_bucket_take(&self, 5999));
    g_assert_true(token_bucket_take(&self, 6000));
    g_assert_true(token_bucket_take(&self, 7000));
    g_assert_false(token_bucket_take(&self, 8000));
    g_assert_false(token_bucket_take(&self, 14999));
    g_assert_true(token_bucket_take(&self, 15000));
    g_assert_false(token_bucket_take(&self, 16000));
    /* A long time later the bucket is full again, and no fuller. */
    for (int i = 0; i < 3; i++)
        g_assert_true(token_bucket_take(&self, 10000000 + i * 1000));
    g_assert_false(token_bucket_take(&self, 10004000));
}

static void queue_keeps_the_order(void)
{
    struct byte_queue self = {0};
    g_assert_cmpint(byte_queue_append(&self, "abc", 3), ==, 0);
    g_assert_cmpint(byte_queue_append(&self, NULL, 0), ==, 0);
    memcpy(byte_queue_reserve(&self, 2), "de", 2);
    self.length += 2;
    byte_queue_consume(&self, 1);
    g_assert_cmpmem(self.data, self.length, "bcde", 4);
    byte_queue_consume(&self, 4);
    g_assert_cmpuint(self.length, ==, 0);
    byte_queue_clear(&self);
    g_assert_null(self.data);
}

static void queue_has_a_limit(void)
{
    struct byte_queue self = {.limit = 10};
    g_assert_cmpint(byte_queue_append(&self, "12345678", 8), ==, 0);
    g_assert_cmpint(byte_queue_append(&self, "123", 3), ==, -1);
    g_assert_null(byte_queue_reserve(&self, SIZE_MAX));
    g_assert_cmpmem(self.data, self.length, "12345678", 8);
    g_assert_cmpint(byte_queue_append(&self, "90", 2), ==, 0);
    byte_queue_clear(&self);
    g_assert_nonnull(byte_queue_reserve(&self, BYTE_QUEUE_MAX));
    g_assert_null(byte_queue_reserve(&self, BYTE_QUEUE_MAX + 1));
    byte_queue_clear(&self);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/token-bucket/burst-then-refill", bucket_allows_a_burst_then_refills);
    g_test_add_func("/byte-queue/order", queue_keeps_the_order);
    g_test_add_func("/byte-queue/limit", queue_has_a_limit);
    return g_test_run();
}
