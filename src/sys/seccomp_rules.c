#include "sys/seccomp_filter.h"

static void add(struct seccomp_rules *self, struct seccomp_rule rule)
{
    if (self->count < SECCOMP_RULES_MAX)
        self->rule[self->count++] = rule;
    else
        self->is_cut_off = 1;
}

static void add_test(struct seccomp_rules *self, int number, int argument, enum seccomp_test test,
                     uint32_t mask, uint32_t value, uint32_t action)
{
    uint32_t call = (uint32_t)number;
    if (number >= 0)
        add(self, (struct seccomp_rule){call, call, test, argument, mask, value, action});
}

void seccomp_filter_all(struct seccomp_rules *self, uint32_t action)
{
    seccomp_filter_calls_from(self, 0, action);
}

void seccomp_filter_call(struct seccomp_rules *self, int number, uint32_t action)
{
    add_test(self, number, 0, SECCOMP_ALWAYS, 0, 0, action);
}

void seccomp_filter_calls_from(struct seccomp_rules *self, uint32_t number, uint32_t action)
{
    add(self, (struct seccomp_rule){number, UINT32_MAX, SECCOMP_ALWAYS, 0, 0, 0, action});
}

void seccomp_filter_argument(struct seccomp_rules *self, int number, int argument, uint32_t value,
                             uint32_t action)
{
    add_test(self, number, argument, SECCOMP_EQUAL, ~0u, value, action);
}

void seccomp_filter_one_of(struct seccomp_rules *self, int number, int argument, uint32_t mask,
                           const uint32_t *values, unsigned count, uint32_t action)
{
    for (unsigned i = 0; i < count; i++)
        add_test(self, number, argument, SECCOMP_EQUAL, mask, values[i], action);
}

void seccomp_filter_other_than(struct seccomp_rules *self, int number, int argument, uint32_t value,
                               uint32_t action)
{
    add_test(self, number, argument, SECCOMP_OTHER, ~0u, value, action);
}

void seccomp_filter_bits(struct seccomp_rules *self, int number, int argument, uint32_t any,
                         uint32_t none, uint32_t action)
{
    if (none)
        add_test(self, number, argument, SECCOMP_BITS, ~0u, none, SECCOMP_RET_ALLOW);
    add_test(self, number, argument, SECCOMP_BITS, ~0u, any, action);
    seccomp_filter_call(self, number, SECCOMP_RET_ALLOW);
}
