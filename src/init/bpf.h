/* Writing classic BPF for seccomp, one instruction after the other. */
#pragma once

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

#include "init/abi.h"

#define BPF_CODE_MAX 256

/* LENGTH stops at BPF_CODE_MAX: a program that got that long is cut off and must not be used. */
struct bpf_program {
    struct sock_filter code[BPF_CODE_MAX];
    unsigned short length;
};

static inline void bpf_emit(struct bpf_program *self, uint16_t code, uint8_t yes, uint8_t no,
                            uint32_t k)
{
    if (self->length < BPF_CODE_MAX)
        self->code[self->length++] = (struct sock_filter){code, yes, no, k};
}

/* Loads the 32 bits at OFFSET of struct seccomp_data. */
static inline void bpf_load(struct bpf_program *self, size_t offset)
{
    bpf_emit(self, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/* The call gets ERROR. */
static inline void bpf_answer(struct bpf_program *self, int error)
{
    bpf_emit(self, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | (uint32_t)error);
}

/* The call's number is loaded: ERROR for NUMBER, which may be -1, none. */
static inline void bpf_refuse(struct bpf_program *self, int number, int error)
{
    if (number < 0)
        return;
    bpf_emit(self, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)number);
    bpf_answer(self, error);
}

/* Emits what a filter says of a call, of the machine's own ABI or (COMPAT) of its other one. */
typedef void (*bpf_rules)(struct bpf_program *self, int compat, int nested);

/*
 * The whole filter: RULES for each of the two ABIs; calls of one that nobody looked at get ENOSYS.
 * *PROGRAM is it as the kernel takes it, in SELF's memory. 0, or -1 with errno: it was cut off.
 */
static inline int bpf_build(struct bpf_program *self, bpf_rules rules, int nested,
                            struct sock_fprog *program)
{
    self->length = 0;
    bpf_load(self, offsetof(struct seccomp_data, arch));
    bpf_emit(self, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ABI_NATIVE);
    /* Other jumps reach 255 instructions at most. */
    unsigned short jump = self->length;
    bpf_emit(self, BPF_JMP | BPF_JA, 0, 0, 0);
    rules(self, 0, nested);
    self->code[jump].k = (uint32_t)(self->length - jump - 1);
    bpf_load(self, offsetof(struct seccomp_data, arch));
    bpf_emit(self, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ABI_OTHER);
    bpf_answer(self, ENOSYS);
    rules(self, 1, nested);
    *program = (struct sock_fprog){self->length, self->code};
    errno = E2BIG;
    return self->length < BPF_CODE_MAX ? 0 : -1;
}
