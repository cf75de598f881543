/* The firmware of the simulated processor: carries out what the recorder's user requests.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The compiler's command line gives SATA_WAITIRQ or SATA_WFI where the processor can wait for irq so.
 */
#include "sata_driver.h"

#define CORE ((volatile uint32_t *)0x80000000u)
/* The request of the recorder's user: request.py has the words, too. */
#define REQUEST ((volatile uint32_t *)0x40000000u)

enum { PENDING = 1, STOP = 2, OPERATION_SHIFT = 8 };
enum { REQUEST_STATE, LBA_LOW, LBA_HIGH, SECTORS_LOW, SECTORS_HIGH, RESULT, READY,
       OPERATION_SECTORS, INTERRUPTS };

/* Both instructions end when an interrupt is pending, and none is taken: irq is a level, so what
 * is pending before them is not missed. */
#if defined SATA_WAITIRQ
static void prepare_interrupts(void) {}

static void wait_for_interrupt(void)
{
    __asm__ volatile (".word 0x0800000b" ::: "memory");     /* PicoRV32: waitirq */
}
#define WAIT wait_for_interrupt
#elif defined SATA_WFI
static void prepare_interrupts(void)
{
    __asm__ volatile ("csrw 0xbc0, %0" :: "r" (1));         /* VexRiscv: mask of its interrupts */
    __asm__ volatile ("csrs mie, %0" :: "r" (1 << 11));     /* MEIE; MIE in mstatus stays 0 */
}

static void wait_for_interrupt(void)
{
    __asm__ volatile ("wfi" ::: "memory");
}
#define WAIT wait_for_interrupt
#else
static void prepare_interrupts(void) {}
#define WAIT ((void (*)(void))0)
#endif

static int stop_requested(void)
{
    return (REQUEST[REQUEST_STATE] & STOP) != 0;
}

static uint64_t wide(unsigned low)
{
    return (uint64_t)REQUEST[low + 1] << 32 | REQUEST[low];
}

int main(void)
{
    struct sata sata = {CORE, 0, 0};

    if (!sata_present(&sata))
        return 1;
    prepare_interrupts();
    REQUEST[READY] = 1;
    for (;;) {
        uint32_t state = REQUEST[REQUEST_STATE];
        if (state & PENDING) {
            enum sata_recorder_operation operation =
                (enum sata_recorder_operation)(state >> OPERATION_SHIFT & 3);
            struct sata_result result = {SATA_RECORDER_ERROR_NONE, 0};
            sata.operation_sectors = REQUEST[OPERATION_SECTORS];
            sata.wait_for_interrupt = REQUEST[INTERRUPTS] ? WAIT : 0;
            if (operation == SATA_RECORDER_OPERATION_FLUSH)
                result.error = sata_operate(&sata, operation, 0, 0);
            else
                result = sata_move(&sata, operation, wide(LBA_LOW), wide(SECTORS_LOW),
                                   stop_requested);
            REQUEST[RESULT] = result.error;
        }
    }
}
