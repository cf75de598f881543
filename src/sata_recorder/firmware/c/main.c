/* The firmware of the simulated processor: carries out what the recorder's user requests.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The compiler's command line gives SATA_WAITIRQ or SATA_WFI where the processor can wait for irq
 * so. request.h is written for each compilation, from the gateware's own table of words.
 */
#include "request.h"
#include "sata_driver.h"

#define CORE ((volatile uint32_t *)REGION_CORE)
#define REQUEST ((volatile uint32_t *)REGION_REQUEST)

/* Both instructions end when an interrupt is pending, and none is taken: what raises it, irq or a
 * stop, is a level, so what is pending before them is not missed. */
#if defined SATA_WAITIRQ
static void prepare_interrupts(void) {}

static void wait_for_interrupt(void *context)
{
    (void)context;
    __asm__ volatile (".word 0x0800000b" ::: "memory");     /* PicoRV32: waitirq */
}
#define WAIT wait_for_interrupt
#elif defined SATA_WFI
static void prepare_interrupts(void)
{
    __asm__ volatile ("csrw 0xbc0, %0" :: "r" (1));         /* VexRiscv: mask of its interrupts */
    __asm__ volatile ("csrs mie, %0" :: "r" (1 << 11));     /* MEIE; MIE in mstatus stays 0 */
}

static void wait_for_interrupt(void *context)
{
    (void)context;
    __asm__ volatile ("wfi" ::: "memory");
}
#define WAIT wait_for_interrupt
#else
static void prepare_interrupts(void) {}
#define WAIT ((void (*)(void *))0)
#endif

static uint64_t wide(unsigned low)
{
    return (uint64_t)REQUEST[low + 1] << 32 | REQUEST[low];
}

int main(void)
{
    struct sata sata = {CORE, 0, 0, REQUEST + REQUEST_STOP, 0};

    if (!sata_present(&sata))
        return 1;
    prepare_interrupts();
    REQUEST[REQUEST_READY] = 1;
    for (;;) {
        uint32_t state = REQUEST[REQUEST_STATE];
        if (state & REQUEST_STATE_PENDING_MASK) {
            enum sata_recorder_operation operation = (enum sata_recorder_operation)
                ((state & REQUEST_STATE_OPERATION_MASK) >> REQUEST_STATE_OPERATION_SHIFT);
            struct sata_result result = {SATA_RECORDER_ERROR_NONE, 0};
            sata.operation_sectors = REQUEST[REQUEST_OPERATION_SECTORS];
            sata.wait_for_interrupt = REQUEST[REQUEST_INTERRUPTS] ? WAIT : 0;
            if (operation == SATA_RECORDER_OPERATION_FLUSH)
                result.error = sata_operate(&sata, operation, 0, 0);
            else
                result = sata_move(&sata, operation, wide(REQUEST_LBA_LOW),
                                   wide(REQUEST_SECTORS_LOW));
            /* The request has room for an error of the core. */
            REQUEST[REQUEST_RESULT] = result.error == SATA_INTERRUPTED
                ? SATA_RECORDER_ERROR_NOT_READY : result.error;
        }
    }
}
