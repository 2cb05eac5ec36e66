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

/*
 * What follows is for calls of the machine's own ABI; from bpf_other_abi() on, which gets the
 * result, for those of any other. Jumps reach 255 instructions at most, so the way there is a long
 * one.
 */
static inline unsigned short bpf_own_abi(struct bpf_program *self)
{
    bpf_load(self, offsetof(struct seccomp_data, arch));
    bpf_emit(self, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ABI_NATIVE);
    bpf_emit(self, BPF_JMP | BPF_JA, 0, 0, 0);
    return (unsigned short)(self->length - 1);
}

static inline void bpf_other_abi(struct bpf_program *self, unsigned short jump)
{
    self->code[jump].k = (uint32_t)(self->length - jump - 1);
}

/* SELF as the kernel takes it. 0, or -1 with errno: it was cut off. */
static inline int bpf_finish(struct bpf_program *self, struct sock_fprog *program)
{
    *program = (struct sock_fprog){self->length, self->code};
    errno = E2BIG;
    return self->length < BPF_CODE_MAX ? 0 : -1;
}
