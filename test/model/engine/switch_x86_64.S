/* SPDX-License-Identifier: MIT */
/* coroutine.h for x86-64.  model_prepare leaves room for six registers and a return address. */
    .text
    .globl model_switch
    .type model_switch, @function
model_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    xorl %eax, %eax
    xorl %ecx, %ecx
    xorl %edx, %edx
    xorl %esi, %esi
    xorl %edi, %edi
    xorl %r8d, %r8d
    xorl %r9d, %r9d
    xorl %r10d, %r10d
    xorl %r11d, %r11d
    pxor %xmm0, %xmm0
    pxor %xmm1, %xmm1
    pxor %xmm2, %xmm2
    pxor %xmm3, %xmm3
    pxor %xmm4, %xmm4
    pxor %xmm5, %xmm5
    pxor %xmm6, %xmm6
    pxor %xmm7, %xmm7
    ret
    .size model_switch, . - model_switch

    .globl model_prepare
    .type model_prepare, @function
model_prepare:
    leaq model_entry(%rip), %rax
    movq %rax, -16(%rdi)
    leaq -64(%rdi), %rax
    ret
    .size model_prepare, . - model_prepare
    .section .note.GNU-stack, "", @progbits
