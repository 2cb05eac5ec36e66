#include "sys/seccomp_filter.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

static void emit(struct seccomp_filter *self, uint16_t code, uint8_t yes, uint8_t no, uint32_t k)
{
    if (self->length < SECCOMP_FILTER_MAX)
        self->code[self->length++] = (struct sock_filter){code, yes, no, k};
    else
        self->is_cut_off = 1;
}

/* Loads the 32 bits at OFFSET of struct seccomp_data. */
static void load(struct seccomp_filter *self, size_t offset)
{
    emit(self, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/* The lower half, on these little-endian machines. */
static void load_argument(struct seccomp_filter *self, int argument)
{
    load(self, offsetof(struct seccomp_data, args) + (size_t)argument * sizeof(uint64_t));
}

/* Rules begin and end with the call's number loaded. */
static void load_number(struct seccomp_filter *self)
{
    load(self, offsetof(struct seccomp_data, nr));
}

/* Goes on with the next instruction when TEST (BPF_JEQ, BPF_JGE, BPF_JSET) holds, else skips SKIP
 * of them. */
static void skip_unless(struct seccomp_filter *self, uint16_t test, uint32_t k, uint8_t skip)
{
    emit(self, BPF_JMP | BPF_K | test, 0, skip, k);
}

void seccomp_filter_all(struct seccomp_filter *self, uint32_t action)
{
    emit(self, BPF_RET | BPF_K, 0, 0, action);
}

void seccomp_filter_call(struct seccomp_filter *self, int number, uint32_t action)
{
    if (number < 0)
        return;
    skip_unless(self, BPF_JEQ, (uint32_t)number, 1);
    seccomp_filter_all(self, action);
}

void seccomp_filter_calls_from(struct seccomp_filter *self, uint32_t number, uint32_t action)
{
    skip_unless(self, BPF_JGE, number, 1);
    seccomp_filter_all(self, action);
}

void seccomp_filter_argument(struct seccomp_filter *self, int number, int argument, uint32_t value,
                             uint32_t action)
{
    if (number < 0)
        return;
    skip_unless(self, BPF_JEQ, (uint32_t)number, 4);
    load_argument(self, argument);
    skip_unless(self, BPF_JEQ, value, 1);
    seccomp_filter_all(self, action);
    load_number(self);
}

void seccomp_filter_one_of(struct seccomp_filter *self, int number, int argument, uint32_t mask,
                           const uint32_t *values, uint8_t count, uint32_t action)
{
    if (number < 0)
        return;
    skip_unless(self, BPF_JEQ, (uint32_t)number, (uint8_t)(count + 4));
    load_argument(self, argument);
    emit(self, BPF_ALU | BPF_AND | BPF_K, 0, 0, mask);
    for (int left = count - 1; left >= 0; left--)
        emit(self, BPF_JMP | BPF_K | BPF_JEQ, (uint8_t)left, left ? 0 : 1, *values++);
    seccomp_filter_all(self, action);
    load_number(self);
}

void seccomp_filter_other_than(struct seccomp_filter *self, int number, int argument,
                               uint32_t value, uint32_t action)
{
    if (number < 0)
        return;
    skip_unless(self, BPF_JEQ, (uint32_t)number, 4);
    load_argument(self, argument);
    emit(self, BPF_JMP | BPF_K | BPF_JEQ, 1, 0, value);
    seccomp_filter_all(self, action);
    load_number(self);
}

void seccomp_filter_bits(struct seccomp_filter *self, int number, int argument, uint32_t any,
                         uint32_t none, uint32_t action)
{
    if (number < 0)
        return;
    skip_unless(self, BPF_JEQ, (uint32_t)number, none ? 5 : 4);
    load_argument(self, argument);
    skip_unless(self, BPF_JSET, any, none ? 2 : 1);
    if (none)
        emit(self, BPF_JMP | BPF_K | BPF_JSET, 1, 0, none);
    seccomp_filter_all(self, action);
    seccomp_filter_all(self, SECCOMP_RET_ALLOW);
}

static void load_arch(struct seccomp_filter *self)
{
    load(self, offsetof(struct seccomp_data, arch));
}

int seccomp_filter_build(struct seccomp_filter *self,
                         void (*rules)(struct seccomp_filter *self, int compat, int data), int data,
                         struct sock_fprog *program)
{
    self->length = 0;
    self->is_cut_off = 0;
    load_arch(self);
    emit(self, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCH_NATIVE);
    /* A conditional jump reaches 255 instructions, which the rules of an ABI may exceed. */
    unsigned short jump = self->length;
    emit(self, BPF_JMP | BPF_JA, 0, 0, 0);
    load_number(self);
    rules(self, 0, data);
    self->code[jump].k = (uint32_t)(self->length - jump - 1);
    load_arch(self);
    emit(self, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCH_COMPAT);
    seccomp_filter_all(self, SECCOMP_FAIL(ENOSYS));
    load_number(self);
    rules(self, 1, data);
    *program = (struct sock_fprog){self->length, self->code};
    errno = E2BIG;
    return self->is_cut_off ? -1 : 0;
}
