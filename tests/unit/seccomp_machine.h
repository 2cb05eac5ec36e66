/* What the kernel does with a seccomp filter, and what the rules say that it was built from. */
#pragma once

#include <glib.h>
#include <string.h>

#include "sys/seccomp_filter.h"

/* Interprets PROGRAM for CALL; knows the instructions that the builder uses. */
static uint32_t machine_run(const struct sock_fprog *program, const struct seccomp_data *call)
{
    uint32_t value = 0;
    for (unsigned at = 0; at < program->len; at++) {
        const struct sock_filter *each = &program->filter[at];
        switch (each->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            g_assert_cmpuint(each->k, <=, sizeof *call - sizeof value);
            memcpy(&value, (const char *)call + each->k, sizeof value);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            value &= each->k;
            break;
        case BPF_JMP | BPF_JA:
            at += each->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            at += value == each->k ? each->jt : each->jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            at += value >= each->k ? each->jt : each->jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            at += value & each->k ? each->jt : each->jf;
            break;
        case BPF_RET | BPF_K:
            return each->k;
        default:
            g_assert_not_reached();
        }
    }
    g_assert_not_reached(); /* the kernel refuses a filter that may end without a verdict */
}

static gboolean machine_applies(const struct seccomp_rule *rule, const struct seccomp_data *call)
{
    uint32_t argument = (uint32_t)call->args[rule->argument] & rule->mask;
    if ((uint32_t)call->nr < rule->first || (uint32_t)call->nr > rule->last)
        return FALSE;
    switch (rule->test) {
    case SECCOMP_ALWAYS:
        return TRUE;
    case SECCOMP_EQUAL:
        return argument == rule->value;
    case SECCOMP_OTHER:
        return argument != rule->value;
    case SECCOMP_BITS:
        return (argument & rule->value) != 0;
    }
    g_assert_not_reached();
}

/* The action of the first rule that applies to CALL. */
static uint32_t machine_obey(const struct seccomp_rules *rules, const struct seccomp_data *call)
{
    for (unsigned i = 0; i < rules->count; i++) {
        if (machine_applies(&rules->rule[i], call))
            return rules->rule[i].action;
    }
    g_assert_not_reached();
}

/* Calls VISIT for VALUE as each one of the arguments, the others of which are 0, and all bits. */
static void machine_each_argument(struct seccomp_data *call, uint32_t value,
                                  void (*visit)(const struct seccomp_data *call, void *data),
                                  void *data)
{
    for (int other = 0; other < 2; other++) {
        for (int i = 0; i < 6; i++) {
            memset(call->args, other ? 0xff : 0, sizeof call->args);
            call->args[i] = value;
            visit(call, data);
        }
    }
}

/* Calls VISIT for CALL with arguments of one bit, of all but one, and of VALUES and what is next to
 * them. */
static void machine_each_value(struct seccomp_data *call, const GArray *values,
                               void (*visit)(const struct seccomp_data *call, void *data),
                               void *data)
{
    for (int bit = 0; bit < 32; bit++) {
        machine_each_argument(call, UINT32_C(1) << bit, visit, data);
        machine_each_argument(call, ~(UINT32_C(1) << bit), visit, data);
    }
    for (guint i = 0; i < values->len; i++) {
        for (uint32_t near = 0; near < 3; near++)
            machine_each_argument(call, g_array_index(values, uint32_t, i) + near - 1, visit, data);
    }
}

struct machine_comparison {
    const struct sock_fprog *program;
    const struct seccomp_rules *rules;
};

static void machine_compare(const struct seccomp_data *call, void *data)
{
    const struct machine_comparison *self = data;
    g_assert_cmphex(machine_run(self->program, call), ==, machine_obey(self->rules, call));
}

/* Numbers of calls that there are, and at which a filter could go wrong. */
#define MACHINE_CALLS 601

static int machine_number(int i)
{
    static const int far[] = {
        0x40000000, 0x40000000 + 41, 0xf0000 - 1, 0xf0000, 0xf0002, 0x7fffffff, -1, -2, -600};
    return i < MACHINE_CALLS ? i : far[i - MACHINE_CALLS];
}

#define MACHINE_NUMBERS (MACHINE_CALLS + 9)

/* That the filter of ADD and DATA decides as its rules do, about each call of each ABI. */
static void machine_check(seccomp_add_rules *add, int data)
{
    static struct seccomp_filter filter;
    struct sock_fprog program;
    g_assert_cmpint(seccomp_filter_build(&filter, add, data, &program), ==, 0);
    for (int compat = 0; compat < 2; compat++) {
        struct seccomp_rules rules = {.count = 0};
        struct machine_comparison both = {&program, &rules};
        g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        add(&rules, compat, data);
        for (unsigned i = 0; i < rules.count; i++)
            g_array_append_val(values, rules.rule[i].value);
        for (int i = 0; i < MACHINE_NUMBERS; i++) {
            struct seccomp_data call = {.nr = machine_number(i),
                                        .arch = compat ? ARCH_COMPAT : ARCH_NATIVE};
            machine_each_value(&call, values, machine_compare, &both);
        }
    }
}
