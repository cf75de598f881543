/* A driver for the SATA recorder on AXI4-Lite: see sata_driver.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sata_driver.h"

#define REGISTER(name) SATA_RECORDER_##name##_OFFSET
#define MASK(field) SATA_RECORDER_##field##_MASK
#define SHIFT(field) SATA_RECORDER_##field##_SHIFT

#define LONGEST_LBA28 256u

/* A test on another machine brings these two itself, instead of registers in its memory. */
#ifdef SATA_SIMULATED_REGISTERS
uint32_t sata_read(const struct sata *sata, uint32_t offset);
void sata_write(const struct sata *sata, uint32_t offset, uint32_t value);
#else
static inline uint32_t sata_read(const struct sata *sata, uint32_t offset)
{
    return sata->registers[offset / 4];
}

static inline void sata_write(const struct sata *sata, uint32_t offset, uint32_t value)
{
    sata->registers[offset / 4] = value;
}
#endif

/* The low word first: reading it keeps the high word that belongs to it. */
static uint64_t read_wide(const struct sata *sata, uint32_t low, uint32_t high)
{
    uint32_t below = sata_read(sata, low);
    return (uint64_t)sata_read(sata, high) << 32 | below;
}

static void write_wide(const struct sata *sata, uint32_t low, uint32_t high, uint64_t value)
{
    sata_write(sata, low, (uint32_t)value);
    sata_write(sata, high, (uint32_t)(value >> 32));
}

static enum sata_recorder_error error_code(const struct sata *sata)
{
    return (enum sata_recorder_error)(sata_read(sata, REGISTER(ERROR)) & MASK(ERROR_CODE));
}

int sata_present(const struct sata *sata)
{
    return sata_read(sata, REGISTER(ID)) == SATA_RECORDER_ID_VALUE;
}

enum sata_recorder_error sata_wait_ready(const struct sata *sata)
{
    while (!(sata_read(sata, REGISTER(STATUS)) & MASK(STATUS_READY))) {
        enum sata_recorder_error error = error_code(sata);
        if (error != SATA_RECORDER_ERROR_NONE)
            return error;
    }
    return SATA_RECORDER_ERROR_NONE;
}

uint64_t sata_capacity(const struct sata *sata)
{
    return read_wide(sata, REGISTER(CAPACITY_LOW), REGISTER(CAPACITY_HIGH));
}

void sata_start(const struct sata *sata, enum sata_recorder_operation operation, uint64_t lba,
                uint64_t sectors)
{
    write_wide(sata, REGISTER(LBA_LOW), REGISTER(LBA_HIGH), lba);
    write_wide(sata, REGISTER(SECTORS_LOW), REGISTER(SECTORS_HIGH), sectors);
    sata_write(sata, REGISTER(CONTROL), (uint32_t)operation << SHIFT(CONTROL_OPERATION)
               | MASK(CONTROL_START));
}

void sata_stop(const struct sata *sata)
{
    sata_write(sata, REGISTER(CONTROL), MASK(CONTROL_STOP));
}

/* START clears DONE, so what is seen here belongs to the operation that was started last. */
int sata_done(const struct sata *sata)
{
    return (sata_read(sata, REGISTER(STATUS)) & MASK(STATUS_DONE)) != 0;
}

static int stop_requested(const struct sata *sata)
{
    return sata->stop && *sata->stop;
}

enum sata_recorder_error sata_wait(const struct sata *sata)
{
    int stopped = 0;

    if (sata->wait_for_interrupt)
        sata_write(sata, REGISTER(INTERRUPT_ENABLE), MASK(INTERRUPT_ENABLE_DONE));
    while (!sata_done(sata)) {
        if (!stopped && stop_requested(sata)) {
            sata_stop(sata);
            stopped = 1;
        } else if (sata->wait_for_interrupt) {
            sata->wait_for_interrupt(sata->context);
        }
    }
    if (sata->wait_for_interrupt)
        sata_write(sata, REGISTER(INTERRUPT_ENABLE), 0);
    return error_code(sata);
}

uint64_t sata_sectors_done(const struct sata *sata)
{
    return read_wide(sata, REGISTER(SECTORS_DONE_LOW), REGISTER(SECTORS_DONE_HIGH));
}

enum sata_recorder_error sata_operate(const struct sata *sata,
                                      enum sata_recorder_operation operation,
                                      uint64_t lba, uint64_t sectors)
{
    sata_start(sata, operation, lba, sectors);
    return sata_wait(sata);
}

/* The core checks each operation; this refuses the whole before any of it has moved. */
static int beyond(const struct sata *sata, uint64_t lba, uint64_t sectors)
{
    uint64_t capacity = sata_capacity(sata);
    return lba > capacity || sectors > capacity - lba;
}

/* Sectors of an operation; an extent of none is the core's to refuse. */
static uint64_t longest_operation(const struct sata *sata, uint64_t sectors)
{
    uint32_t limit = sata->operation_sectors;
    if (limit == 0)
        return sectors;
    if (limit > LONGEST_LBA28 && !(sata_read(sata, REGISTER(STATUS)) & MASK(STATUS_LBA48)))
        limit = LONGEST_LBA28;
    return limit;
}

struct sata_result sata_move(const struct sata *sata, enum sata_recorder_operation operation,
                             uint64_t lba, uint64_t sectors)
{
    struct sata_result result = {SATA_RECORDER_ERROR_NONE, 0};
    uint64_t limit = longest_operation(sata, sectors);
    int flushes = operation == SATA_RECORDER_OPERATION_RECORD_FLUSH;

    if (sectors > limit && beyond(sata, lba, sectors)) {
        result.error = SATA_RECORDER_ERROR_OUT_OF_RANGE;
        return result;
    }
    while (sectors > limit) {
        result.error = sata_operate(sata, flushes ? SATA_RECORDER_OPERATION_RECORD : operation,
                                    lba, limit);
        if (result.error != SATA_RECORDER_ERROR_NONE || stop_requested(sata)) {
            result.sectors_done += sata_sectors_done(sata);
            if (result.error == SATA_RECORDER_ERROR_NONE && flushes)
                result.error = sata_operate(sata, SATA_RECORDER_OPERATION_FLUSH, 0, 0);
            return result;
        }
        result.sectors_done += limit;
        lba += limit;
        sectors -= limit;
    }
    result.error = sata_operate(sata, operation, lba, sectors);
    result.sectors_done += sata_sectors_done(sata);
    return result;
}
