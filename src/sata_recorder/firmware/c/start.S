/* From reset to main: a stack, and zeros where the program wants them.
 * SPDX-License-Identifier: BSD-2-Clause
 */
    .section .start, "ax"
    .globl _start
_start:
    la sp, stack_top
    la a0, bss_begin
    la a1, bss_end
1:  bgeu a0, a1, 2f
    sw zero, 0(a0)
    addi a0, a0, 4
    j 1b
2:  call main
3:  j 3b
