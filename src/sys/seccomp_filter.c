#include "sys/seccomp_filter.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

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

/*
 * The filter is written from its end to its start, since its jumps lead forward only: what one
 * leads to is there already. A place is an index into the code. What stands at a place depends on
 * nothing but the call and the value that was loaded last, so all that want the same share it.
 */

_Static_assert(SECCOMP_FILTER_MAX <= 256, "each conditional jump reaches each place");

/* Calls of one ABI from FIRST to the next span, which all go on at BODY. */
struct span {
    uint32_t first;
    unsigned body;
};

/* Each rule begins and ends one. */
struct spans {
    struct span span[2 * SECCOMP_RULES_MAX + 1];
    unsigned count;
};

/* The place of the first instruction. */
static unsigned top(const struct seccomp_filter *self)
{
    return SECCOMP_FILTER_MAX - self->length;
}

static unsigned emit(struct seccomp_filter *self, uint16_t code, unsigned yes, unsigned no,
                     uint32_t k)
{
    if (self->length < SECCOMP_FILTER_MAX)
        self->length++;
    else
        self->is_cut_off = 1;
    self->code[top(self)] = (struct sock_filter){code, (uint8_t)yes, (uint8_t)no, k};
    return top(self);
}

static int is(const struct seccomp_filter *self, unsigned place, uint16_t code, uint32_t k)
{
    return place < SECCOMP_FILTER_MAX && self->code[place].code == code && self->code[place].k == k;
}

static unsigned end(struct seccomp_filter *self, uint32_t action)
{
    for (unsigned i = top(self); i < SECCOMP_FILTER_MAX; i++) {
        if (is(self, i, BPF_RET | BPF_K, action))
            return i;
    }
    return emit(self, BPF_RET | BPF_K, 0, 0, action);
}

/* Goes on at YES when TEST (BPF_JEQ, BPF_JGE, BPF_JSET) holds, else at NO. */
static unsigned branch(struct seccomp_filter *self, uint16_t test, uint32_t k, unsigned yes,
                       unsigned no)
{
    const uint16_t code = BPF_JMP | BPF_K | test;
    if (yes == no)
        return yes;
    for (unsigned i = top(self); i < SECCOMP_FILTER_MAX; i++) {
        if (is(self, i, code, k) && i + 1 + self->code[i].jt == yes &&
            i + 1 + self->code[i].jf == no)
            return i;
    }
    return emit(self, code, yes - top(self), no - top(self), k);
}

/* Loads the 32 bits at OFFSET of struct seccomp_data, and goes on at PLACE with those of MASK. */
static unsigned load(struct seccomp_filter *self, size_t offset, uint32_t mask, unsigned place)
{
    const uint16_t code = BPF_LD | BPF_W | BPF_ABS, and = BPF_ALU | BPF_AND | BPF_K;
    const int masked = mask != UINT32_MAX;
    for (unsigned i = top(self); i < SECCOMP_FILTER_MAX; i++) {
        if (is(self, i, code, (uint32_t)offset) && (!masked || is(self, i + 1, and, mask)) &&
            i + 1 + (unsigned)masked == place)
            return i;
    }
    if (place != top(self))
        emit(self, BPF_JMP | BPF_JA, 0, 0, place - top(self));
    if (masked)
        emit(self, and, 0, 0, mask);
    return emit(self, code, 0, 0, (uint32_t)offset);
}

/* The lower half, on these little-endian machines. */
static unsigned load_argument(struct seccomp_filter *self, const struct seccomp_rule *rule,
                              unsigned place)
{
    size_t offset = offsetof(struct seccomp_data, args) + (size_t)rule->argument * sizeof(uint64_t);
    return load(self, offset, rule->mask, place);
}

/* The first rule from AT on that applies to NUMBER; NULL behind the last. */
static const struct seccomp_rule *next_rule(const struct seccomp_rules *rules, unsigned at,
                                            uint32_t number)
{
    for (; at < rules->count; at++) {
        if (rules->rule[at].first <= number && number <= rules->rule[at].last)
            return &rules->rule[at];
    }
    return NULL;
}

static int loads_the_same(const struct seccomp_rule *a, const struct seccomp_rule *b)
{
    return a && b && b->test != SECCOMP_ALWAYS && a->argument == b->argument && a->mask == b->mask;
}

/* What the rules from RULE on decide about NUMBER. BEFORE is the rule that has loaded its argument
 * already, or NULL. */
static unsigned decide(struct seccomp_filter *self, const struct seccomp_rules *rules,
                       const struct seccomp_rule *rule, uint32_t number,
                       const struct seccomp_rule *before)
{
    if (!rule) /* no rule says that it is allowed */
        return end(self, SECCOMP_RET_KILL_PROCESS);
    unsigned action = end(self, rule->action);
    if (rule->test == SECCOMP_ALWAYS)
        return action;
    unsigned at = (unsigned)(rule - rules->rule) + 1;
    unsigned other = decide(self, rules, next_rule(rules, at, number), number, rule);
    unsigned place = 0;
    switch (rule->test) {
    case SECCOMP_ALWAYS:
    case SECCOMP_EQUAL:
        place = branch(self, BPF_JEQ, rule->value, action, other);
        break;
    case SECCOMP_OTHER:
        place = branch(self, BPF_JEQ, rule->value, other, action);
        break;
    case SECCOMP_BITS:
        place = branch(self, BPF_JSET, rule->value, action, other);
        break;
    }
    return loads_the_same(before, rule) ? place : load_argument(self, rule, place);
}

/* Goes on at the body of the span of COUNT (1 or more) that the call's number, which is loaded, is
 * in. */
static unsigned search(struct seccomp_filter *self, const struct span *span, unsigned count)
{
    if (count == 1)
        return span->body;
    unsigned below = count / 2;
    unsigned no = search(self, span, below);
    unsigned yes = search(self, span + below, count - below);
    return branch(self, BPF_JGE, span[below].first, yes, no);
}

static int compare_rules(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Sorted, and none twice. */
static void divide(struct spans *self, const struct seccomp_rules *rules)
{
    unsigned count = 0;
    self->span[count++].first = 0;
    for (unsigned i = 0; i < rules->count; i++) {
        self->span[count++].first = rules->rule[i].first;
        self->span[count++].first = rules->rule[i].last + 1; /* from 0 on, behind the last number */
    }
    qsort(self->span, count, sizeof *self->span, compare_rules);
    self->count = 0;
    for (unsigned i = 0; i < count; i++) {
        if (i == 0 || self->span[i].first != self->span[self->count - 1].first)
            self->span[self->count++] = self->span[i];
    }
}

static unsigned rules_of_abi(struct seccomp_filter *self, seccomp_add_rules *add_rules, int compat,
                             int data)
{
    struct seccomp_rules rules = {.count = 0};
    struct spans spans;
    unsigned count = 0;
    add_rules(&rules, compat, data);
    self->is_cut_off |= rules.is_cut_off;
    divide(&spans, &rules);
    for (unsigned i = 0; i < spans.count; i++) {
        struct span span = spans.span[i];
        span.body = decide(self, &rules, next_rule(&rules, 0, span.first), span.first, NULL);
        if (count == 0 || span.body != spans.span[count - 1].body)
            spans.span[count++] = span;
    }
    unsigned found = search(self, spans.span, count);
    return load(self, offsetof(struct seccomp_data, nr), UINT32_MAX, found);
}

int seccomp_filter_build(struct seccomp_filter *self, seccomp_add_rules *add_rules, int data,
                         struct sock_fprog *program)
{
    self->length = 0;
    self->is_cut_off = 0;
    unsigned compat = rules_of_abi(self, add_rules, 1, data);
    unsigned native = rules_of_abi(self, add_rules, 0, data);
    unsigned neither = end(self, SECCOMP_FAIL(ENOSYS));
    unsigned other = branch(self, BPF_JEQ, ARCH_COMPAT, compat, neither);
    unsigned first = branch(self, BPF_JEQ, ARCH_NATIVE, native, other);
    load(self, offsetof(struct seccomp_data, arch), UINT32_MAX, first);
    *program = (struct sock_fprog){self->length, self->code + top(self)};
    errno = E2BIG;
    return self->is_cut_off ? -1 : 0;
}
