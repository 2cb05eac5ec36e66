/*
 * Builds seccomp filters (seccomp(2)) rule by rule, as classic BPF. libc only.
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

/* Most instructions of a filter: the longest of ours has 307, and the kernel takes 4096. */
#define SECCOMP_FILTER_MAX 512

struct seccomp_filter {
    struct sock_filter code[SECCOMP_FILTER_MAX];
    unsigned short length;
    int is_cut_off; /* it got too long */
};

/*
 * The rules, which apply in the order in which they are added. NUMBER is a call's, or -1: the ABI
 * has no such call, and nothing is added. ACTION is a SECCOMP_RET_… of seccomp(2). Of an argument
 * the lower 32 bits count, as they do for the flags and modes that we look at.
 */
/* Each call gets ACTION: the last rule. */
void seccomp_filter_all(struct seccomp_filter *self, uint32_t action);
/* The call gets ACTION, whatever its arguments. */
void seccomp_filter_call(struct seccomp_filter *self, int number, uint32_t action);
/* Calls of NUMBER and above get ACTION. */
void seccomp_filter_calls_from(struct seccomp_filter *self, uint32_t number, uint32_t action);
/* The call gets ACTION when its ARGUMENT (0 to 5) is VALUE. */
void seccomp_filter_argument(struct seccomp_filter *self, int number, int argument, uint32_t value,
                             uint32_t action);
/* The call gets ACTION when its ARGUMENT has one of COUNT VALUES (1 to 250) in the bits of MASK. */
void seccomp_filter_one_of(struct seccomp_filter *self, int number, int argument, uint32_t mask,
                           const uint32_t *values, uint8_t count, uint32_t action);
/* The call gets ACTION when its ARGUMENT is not VALUE. */
void seccomp_filter_other_than(struct seccomp_filter *self, int number, int argument,
                               uint32_t value, uint32_t action);
/* The call gets ACTION when its ARGUMENT has any bit of ANY and none of NONE; else it is allowed,
 * and no rule behind this one applies. */
void seccomp_filter_bits(struct seccomp_filter *self, int number, int argument, uint32_t any,
                         uint32_t none, uint32_t action);

/*
 * Builds the whole filter in SELF. RULES adds those of one ABI, of the 32-bit personality when
 * COMPAT is 1; DATA is its own. *PROGRAM is the filter as the kernel takes it, in SELF's memory.
 * Returns 0, or -1 with E2BIG: it must not be used.
 */
int seccomp_filter_build(struct seccomp_filter *self,
                         void (*rules)(struct seccomp_filter *self, int compat, int data), int data,
                         struct sock_fprog *program);
