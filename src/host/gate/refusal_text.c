#include "host/gate/refusal_text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 1280
#define SSH_VERSION "SSH-2.0-Litterbox\r\n"
#define SSH_MSG_DISCONNECT 1
#define SSH_DISCONNECT_HOST_NOT_ALLOWED 1
/* RFC 4253, 6: of a packet before keys are exchanged, and its least padding. */
#define SSH_BLOCK 8
#define SSH_PADDING_MIN 4

static int write_text(const struct target *target, const char *why, char text[TEXT_MAX])
{
    char name[TARGET_TEXT_SIZE];
    target_text(target, name);
    char request[REQUEST_REFUSAL_SIZE];
    if (target->refusal.reason[0]) {
        request_refusal_text(&target->refusal, request);
        why = request;
    }
    int length = snprintf(text, TEXT_MAX, "Litterbox refused %s: %s", name, why);
    if (target->is_unknown && !target->is_audited)
        length += snprintf(text + length, TEXT_MAX - (size_t)length,
                           "; on the host, 'box net allow %s' would", name);
    return length;
}

size_t refusal_text_http(const struct target *target, const char *why, uint8_t out[REFUSAL_MAX])
{
    char text[TEXT_MAX];
    int length = write_text(target, why, text);
    return (size_t)snprintf((char *)out, REFUSAL_MAX,
                            "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n"
                            "Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\n",
                            length + 1, text);
}

static uint8_t *put_number(uint8_t *at, uint32_t number)
{
    number = htonl(number);
    memcpy(at, &number, sizeof number);
    return at + sizeof number;
}

static uint8_t *put_string(uint8_t *at, const char *text, size_t length)
{
    at = put_number(at, (uint32_t)length);
    memcpy(at, text, length);
    return at + length;
}

/* Packet length, padding length, payload, padding. */
size_t refusal_text_ssh(const struct target *target, const char *why, uint8_t out[REFUSAL_MAX])
{
    char text[TEXT_MAX];
    size_t length = (size_t)write_text(target, why, text);
    uint8_t *packet = out + strlen(SSH_VERSION), *at = packet + 5;
    memcpy(out, SSH_VERSION, strlen(SSH_VERSION));
    *at++ = SSH_MSG_DISCONNECT;
    at = put_number(at, SSH_DISCONNECT_HOST_NOT_ALLOWED);
    at = put_string(at, text, length);
    at = put_string(at, "", 0); /* its language */
    size_t padding = SSH_BLOCK - (size_t)(at - packet) % SSH_BLOCK;
    padding += padding < SSH_PADDING_MIN ? SSH_BLOCK : 0;
    memset(at, 0, padding);
    at += padding;
    put_number(packet, (uint32_t)(at - packet - 4));
    packet[4] = (uint8_t)padding;
    return (size_t)(at - out);
}
