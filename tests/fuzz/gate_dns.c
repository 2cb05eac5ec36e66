/* Fuzzes DNS messages of a box: an answer fits, is one, and repeats the question. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "host/gate/dns_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void answer(const struct dns_question *question, const struct dns_record *record)
{
    uint8_t out[DNS_ANSWER_MAX];
    size_t length = dns_answer(question, question->code, record, out);
    assert(length >= 12 && length <= sizeof out && (out[2] & 0x80));
    assert(memcmp(out, question->message, 2) == 0);
    if (question->end)
        assert(memcmp(out + 12, question->message + 12, question->end - 12) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dns_question question;
    char again[HOST_NAME_SIZE];
    if (dns_question_parse(data, size, &question) < 0)
        return 0;
    answer(&question, NULL);
    answer(&question, &(struct dns_record){DNS_A, 0xc6120100, NULL});
    answer(&question, &(struct dns_record){DNS_PTR, 0, question.name});
    if (question.name[0]) {
        dns_reverse_address(question.name);
        assert(host_name_normalise(question.name, strlen(question.name), again) == 0 &&
               strcmp(again, question.name) == 0);
    }
    return 0;
}
