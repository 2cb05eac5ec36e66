/*
 * Builds seccomp filters (seccomp(2)) from rules, as classic BPF. libc only.
 *
 * For box-init and its guard, which are static programs without libseccomp, and whose filters must
 * not depend on what its release on the build machine knows. Host programs confine themselves with
 * libseccomp (sys/confine.h).
 *
 * A filter has rules for two system call ABIs: the machine's own, and that of its 32-bit
 * personality. Calls of any other ABI fail with ENOSYS.
 */
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>

#if defined __x86_64__
#define ARCH_NATIVE AUDIT_ARCH_X86_64
#define ARCH_COMPAT AUDIT_ARCH_I386
/* A number or flag of the 32-bit personality; x86 and ARM share most numbers. */
#define COMPAT(x86, arm) x86
#elif defined __aarch64__
#define ARCH_NATIVE AUDIT_ARCH_AARCH64
#define ARCH_COMPAT AUDIT_ARCH_ARM
#define COMPAT(x86, arm) arm
#else
#error "box-init has no system call table for this machine yet"
#endif

/* The call fails with ERROR and does nothing. */
#define SECCOMP_FAIL(error) (SECCOMP_RET_ERRNO | (uint32_t)(error))

/* Most rules of an ABI, as struct seccomp_rule; the longest list of ours has 69. */
#define SECCOMP_RULES_MAX 128
/* Most instructions of a filter: the longest of ours has 131. A conditional jump passes 255. */
#define SECCOMP_FILTER_MAX 256

enum seccomp_test {
    SECCOMP_ALWAYS,
    SECCOMP_EQUAL, /* the argument, in the bits of the mask, is the value */
    SECCOMP_OTHER, /* it is not */
    SECCOMP_BITS,  /* the argument has any bit of the value; the mask has all */
};

/* Calls FIRST to LAST get ACTION when TEST holds. */
struct seccomp_rule {
    uint32_t first, last;
    enum seccomp_test test;
    int argument;
    uint32_t mask, value;
    uint32_t action;
};

/* What the functions below add to. */
struct seccomp_rules {
    struct seccomp_rule rule[SECCOMP_RULES_MAX];
    unsigned count;
    int is_cut_off; /* there were too many */
};

/*
 * The rules, which apply in the order in which they are added. NUMBER is a call's, or -1: the ABI
 * has no such call, and nothing is added. ACTION is a SECCOMP_RET_… of seccomp(2). Of an argument
 * the lower 32 bits count, as they do for the flags and modes that we look at.
 */
/* Each call gets ACTION: the last rule. */
void seccomp_filter_all(struct seccomp_rules *self, uint32_t action);
/* The call gets ACTION, whatever its arguments. */
void seccomp_filter_call(struct seccomp_rules *self, int number, uint32_t action);
/* Calls of NUMBER and above get ACTION. */
void seccomp_filter_calls_from(struct seccomp_rules *self, uint32_t number, uint32_t action);
/* The call gets ACTION when its ARGUMENT (0 to 5) is VALUE. */
void seccomp_filter_argument(struct seccomp_rules *self, int number, int argument, uint32_t value,
                             uint32_t action);
/* The call gets ACTION when its ARGUMENT has one of COUNT VALUES in the bits of MASK. */
void seccomp_filter_one_of(struct seccomp_rules *self, int number, int argument, uint32_t mask,
                           const uint32_t *values, unsigned count, uint32_t action);
/* The call gets ACTION when its ARGUMENT is not VALUE. */
void seccomp_filter_other_than(struct seccomp_rules *self, int number, int argument, uint32_t value,
                               uint32_t action);
/* The call gets ACTION when its ARGUMENT has any bit of ANY and none of NONE; else it is allowed,
 * and no rule behind this one applies. */
void seccomp_filter_bits(struct seccomp_rules *self, int number, int argument, uint32_t any,
                         uint32_t none, uint32_t action);

/* A filter: the last LENGTH of its instructions. */
struct seccomp_filter {
    struct sock_filter code[SECCOMP_FILTER_MAX];
    unsigned short length;
    int is_cut_off; /* it got too long */
};

/* Adds the rules of one ABI, of the 32-bit personality when COMPAT is 1; DATA is the builder's. */
typedef void seccomp_add_rules(struct seccomp_rules *self, int compat, int data);

/*
 * Builds the whole filter in SELF. *PROGRAM is the filter as the kernel takes it, in SELF's memory.
 * Returns 0, or -1 with E2BIG: it must not be used.
 *
 * The kernel runs a new filter once for each call of both ABIs, to know which of them it need never
 * ask about, and checks and translates each instruction. So the filter searches for the call's
 * number in a few steps, and holds nothing twice.
 */
int seccomp_filter_build(struct seccomp_filter *self, seccomp_add_rules *add_rules, int data,
                         struct sock_fprog *program);
