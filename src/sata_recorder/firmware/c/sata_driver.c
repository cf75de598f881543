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

static int stop_requested(const struct sata *sata)
{
    return sata->stop && *sata->stop;
}

int sata_present(const struct sata *sata)
{
    return sata_read(sata, REGISTER(ID)) == SATA_RECORDER_ID_VALUE;
}

/* ERROR keeps how the last operation ended until the next start; with one of these it tells nothing of
 * the drive that is brought up meanwhile. */
#define OF_OPERATION (1u << SATA_RECORDER_ERROR_NOT_READY | 1u << SATA_RECORDER_ERROR_ZERO_SECTORS \
    | 1u << SATA_RECORDER_ERROR_OUT_OF_RANGE | 1u << SATA_RECORDER_ERROR_LINK_LOST \
    | 1u << SATA_RECORDER_ERROR_DRIVE_ERROR | 1u << SATA_RECORDER_ERROR_SHORT_DATA \
    | 1u << SATA_RECORDER_ERROR_PROTOCOL | 1u << SATA_RECORDER_ERROR_DATA_CRC \
    | 1u << SATA_RECORDER_ERROR_COMMAND_REFUSED)

enum sata_recorder_error sata_readiness(const struct sata *sata)
{
    enum sata_recorder_error error;

    if (sata_read(sata, REGISTER(STATUS)) & MASK(STATUS_READY))
        return SATA_RECORDER_ERROR_NONE;
    error = error_code(sata);
    if (error == SATA_RECORDER_ERROR_NONE || OF_OPERATION >> error & 1)
        return SATA_RECORDER_ERROR_NOT_READY;
    return error;
}

enum sata_recorder_error sata_wait_ready(const struct sata *sata)
{
    enum sata_recorder_error error;

    do
        error = sata_readiness(sata);
    while (error == SATA_RECORDER_ERROR_NOT_READY && !stop_requested(sata));
    return error;
}

uint64_t sata_capacity(const struct sata *sata)
{
    return read_wide(sata, REGISTER(CAPACITY_LOW), REGISTER(CAPACITY_HIGH));
}

static int busy(const struct sata *sata)
{
    return (sata_read(sata, REGISTER(STATUS)) & MASK(STATUS_BUSY)) != 0;
}

enum sata_recorder_error sata_start(const struct sata *sata, enum sata_recorder_operation operation,
                                    uint64_t lba, uint64_t sectors)
{
    write_wide(sata, REGISTER(LBA_LOW), REGISTER(LBA_HIGH), lba);
    write_wide(sata, REGISTER(SECTORS_LOW), REGISTER(SECTORS_HIGH), sectors);
    /* If the core ignores START, DONE of the operation before would be taken for that of this one. */
    sata_write(sata, REGISTER(STATUS), MASK(STATUS_DONE));
    if (busy(sata))
        return SATA_INTERRUPTED;
    sata_write(sata, REGISTER(CONTROL), (uint32_t)operation << SHIFT(CONTROL_OPERATION)
               | MASK(CONTROL_START));
    return SATA_RECORDER_ERROR_NONE;
}

void sata_stop(const struct sata *sata)
{
    sata_write(sata, REGISTER(CONTROL), MASK(CONTROL_STOP));
}

/* Without BUSY and DONE nothing runs: START was ignored. */
int sata_done(const struct sata *sata)
{
    return (sata_read(sata, REGISTER(STATUS)) & (MASK(STATUS_DONE) | MASK(STATUS_BUSY)))
           != MASK(STATUS_BUSY);
}

/* How the operation ended; when power fails, ERROR may be that of STANDBY IMMEDIATE already. */
static enum sata_recorder_error wait_end(const struct sata *sata)
{
    uint32_t status;
    int stopped = 0;

    if (sata->wait_for_interrupt)
        sata_write(sata, REGISTER(INTERRUPT_ENABLE), MASK(INTERRUPT_ENABLE_DONE));
    while (!((status = sata_read(sata, REGISTER(STATUS))) & MASK(STATUS_DONE))) {
        if (!(status & MASK(STATUS_BUSY))) {
            /* DONE rises a clock after BUSY has fallen. */
            status = sata_read(sata, REGISTER(STATUS));
            break;
        }
        if (!stopped && stop_requested(sata)) {
            sata_stop(sata);
            stopped = 1;
        } else if (sata->wait_for_interrupt) {
            sata->wait_for_interrupt(sata->context);
        }
    }
    if (sata->wait_for_interrupt)
        sata_write(sata, REGISTER(INTERRUPT_ENABLE), 0);
    return status & MASK(STATUS_DONE) ? error_code(sata) : SATA_INTERRUPTED;
}

/* ERROR counts if the core was nobody else's when it was read. */
static enum sata_recorder_error settled(const struct sata *sata, enum sata_recorder_error error)
{
    return error == SATA_RECORDER_ERROR_NONE && busy(sata) ? SATA_INTERRUPTED : error;
}

enum sata_recorder_error sata_wait(const struct sata *sata)
{
    return settled(sata, wait_end(sata));
}

uint64_t sata_sectors_done(const struct sata *sata)
{
    return read_wide(sata, REGISTER(SECTORS_DONE_LOW), REGISTER(SECTORS_DONE_HIGH));
}

/* One operation; whoever calls it judges by its sectors whether ERROR counts. */
static enum sata_recorder_error operate(const struct sata *sata,
                                        enum sata_recorder_operation operation,
                                        uint64_t lba, uint64_t sectors)
{
    enum sata_recorder_error error = sata_start(sata, operation, lba, sectors);

    return error == SATA_RECORDER_ERROR_NONE ? wait_end(sata) : error;
}

enum sata_recorder_error sata_operate(const struct sata *sata,
                                      enum sata_recorder_operation operation,
                                      uint64_t lba, uint64_t sectors)
{
    return settled(sata, operate(sata, operation, lba, sectors));
}

/* The core checks each operation; this refuses the whole before any of it has moved. */
static enum sata_recorder_error check(const struct sata *sata, uint64_t lba, uint64_t sectors)
{
    uint64_t capacity = sata_capacity(sata);

    if (capacity == 0)
        return SATA_RECORDER_ERROR_NOT_READY;
    return lba > capacity || sectors > capacity - lba ? SATA_RECORDER_ERROR_OUT_OF_RANGE
                                                      : SATA_RECORDER_ERROR_NONE;
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

/* Whether an operation that ended without error and has moved `done` has left sectors out, and not passed
 * over them. Then power fails: it was stopped, or what is reported, ERROR too, is of STANDBY IMMEDIATE, which
 * has no sectors. */
static int is_short(const struct sata *sata, uint64_t done, uint64_t sectors)
{
    return done < sectors && done + read_wide(sata, REGISTER(SKIPPED_SECTORS_LOW),
                                              REGISTER(SKIPPED_SECTORS_HIGH)) < sectors;
}

struct sata_result sata_move(const struct sata *sata, enum sata_recorder_operation operation,
                             uint64_t lba, uint64_t sectors)
{
    struct sata_result result = {SATA_RECORDER_ERROR_NONE, 0};
    uint64_t limit = longest_operation(sata, sectors), done;
    int flushes = operation == SATA_RECORDER_OPERATION_RECORD_FLUSH;

    if (sectors > limit) {
        result.error = check(sata, lba, sectors);
        if (result.error != SATA_RECORDER_ERROR_NONE)
            return result;
    }
    while (sectors > limit) {
        uint32_t moved;

        result.error = operate(sata, flushes ? SATA_RECORDER_OPERATION_RECORD : operation,
                               lba, limit);
        /* What is counted then is not of this operation. */
        if (result.error == SATA_INTERRUPTED)
            return result;
        moved = sata_read(sata, REGISTER(SECTORS_DONE_LOW));
        result.sectors_done += moved;
        if (result.error != SATA_RECORDER_ERROR_NONE)
            return result;
        if (stop_requested(sata)) {
            result.error = flushes ? sata_operate(sata, SATA_RECORDER_OPERATION_FLUSH, 0, 0)
                                   : settled(sata, SATA_RECORDER_ERROR_NONE);
            return result;
        }
        if (moved != (uint32_t)limit && is_short(sata, moved, limit)) {
            result.error = SATA_INTERRUPTED;
            return result;
        }
        lba += limit;
        sectors -= limit;
    }
    result.error = operate(sata, operation, lba, sectors);
    if (result.error == SATA_INTERRUPTED)
        return result;
    done = sata_sectors_done(sata);
    result.sectors_done += done;
    if (result.error == SATA_RECORDER_ERROR_NONE && is_short(sata, done, sectors))
        result.error = stop_requested(sata) ? settled(sata, SATA_RECORDER_ERROR_NONE)
                                            : SATA_INTERRUPTED;
    return result;
}
