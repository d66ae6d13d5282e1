/* A stand-in for libnvidia-ml.so.1: the functions that the meter calls through nvidia-ml-py, on emulated GPUs.
 *
 * What it shows comes from the text file that $JOULEMARK_NVML_STUB names, one `key value` per line, read anew at
 * every call so that a test can change it mid-run; `gpu.N.key` comes before `key`. Power is a function of
 * CLOCK_MONOTONIC, a cycle of segments, so that the test knows the true energy of any interval.
 * Signatures and numbers: NVML API reference, https://docs.nvidia.com/deploy/nvml-api/.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINE 512
#define MAX_GPUS 16
#define MAX_SEGMENTS 32
enum { OK = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, INSUFFICIENT_SIZE = 7 };
enum { FIELD_AVERAGE = 185, FIELD_INSTANT = 186, TYPE_UNSIGNED_INT = 1 };

struct device { int index; };
typedef struct device *handle;
static struct device devices[MAX_GPUS];
static int users; /* nvmlInit minus nvmlShutdown */

/* --- configuration --------------------------------------------------------------------------------------- */

/* The text of a key into `value`; whether the file has it. */
static int lookup(int gpu, const char *key, char *value) {
    const char *path = getenv("JOULEMARK_NVML_STUB");
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[LINE], own[LINE];
    int found = 0;
    if (!file) return 0;
    snprintf(own, sizeof own, "gpu.%d.%s", gpu, key);
    while (found < 2 && fgets(line, sizeof line, file)) {
        char *space = strchr(line, ' ');
        if (!space) continue;
        *space = 0;
        int rank = strcmp(line, own) == 0 ? 2 : strcmp(line, key) == 0 ? 1 : 0;
        if (rank <= found) continue;
        found = rank;
        space[1 + strcspn(space + 1, "\n")] = 0;
        strcpy(value, space + 1);
    }
    fclose(file);
    return found > 0;
}

static double number(int gpu, const char *key, double otherwise) {
    char text[LINE];
    return lookup(gpu, key, text) ? strtod(text, NULL) : otherwise;
}

static int text_into(int gpu, const char *key, char *buffer, unsigned size) {
    char text[LINE] = "";
    lookup(gpu, key, text);
    if (strlen(text) + 1 > size) return INSUFFICIENT_SIZE;
    strcpy(buffer, text);
    return OK;
}

/* The error that the configuration wants from a function: `error.<function> <code>`. */
static int failure(int gpu, const char *function) {
    char key[LINE];
    snprintf(key, sizeof key, "error.%s", function);
    return users ? (int)number(gpu, key, OK) : UNINITIALIZED;
}

#define ANSWER(gpu, value_into)                                                                                \
    do {                                                                                                       \
        int code = failure((gpu), __func__);                                                                   \
        if (code == OK) { value_into; }                                                                        \
        return code;                                                                                           \
    } while (0)

/* --- power and energy ------------------------------------------------------------------------------------ */

struct wave { int count; double seconds[MAX_SEGMENTS], watts[MAX_SEGMENTS], cycle_s, cycle_j; };

/* `segments 0.5:50,0.5:300`: seconds:watts, repeated for ever. */
static struct wave wave_of(int gpu) {
    struct wave wave = {0};
    char text[LINE] = "1:100";
    lookup(gpu, "segments", text);
    for (char *part = strtok(text, ","); part && wave.count < MAX_SEGMENTS; part = strtok(NULL, ",")) {
        sscanf(part, "%lf:%lf", &wave.seconds[wave.count], &wave.watts[wave.count]);
        wave.cycle_s += wave.seconds[wave.count];
        wave.cycle_j += wave.seconds[wave.count] * wave.watts[wave.count];
        wave.count++;
    }
    return wave;
}

/* Joules from the waveform's origin to t_s, and the watts at t_s. */
static double energy_j(const struct wave *wave, double t_s, double *power_w) {
    double cycles = floor(t_s / wave->cycle_s), rest_s = t_s - cycles * wave->cycle_s;
    double total_j = cycles * wave->cycle_j;
    for (int i = 0; i < wave->count; i++) {
        double part_s = fmin(rest_s, wave->seconds[i]);
        total_j += part_s * wave->watts[i];
        *power_w = wave->watts[i];
        if (rest_s < wave->seconds[i]) break;
        rest_s -= part_s;
    }
    return total_j;
}

/* Seconds since the waveform's origin at the sensor's last update. */
static double updated_s(int gpu) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double whole_s = (double)now.tv_sec - number(gpu, "origin_s", 0);
    double t_s = whole_s + ((double)now.tv_nsec - number(gpu, "origin_ns", 0)) / 1e9;
    double update_s = number(gpu, "update_s", 0.1);
    return floor(t_s / update_s) * update_s;
}

static double instant_w(int gpu) {
    struct wave wave = wave_of(gpu);
    double power_w = 0;
    energy_j(&wave, updated_s(gpu), &power_w);
    return power_w;
}

static double average_w(int gpu) {
    struct wave wave = wave_of(gpu);
    double window_s = number(gpu, "window_s", 1.0), now_s = updated_s(gpu), unused;
    return (energy_j(&wave, now_s, &unused) - energy_j(&wave, now_s - window_s, &unused)) / window_s;
}

/* --- the library ------------------------------------------------------------------------------------------ */

int nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    int code = (int)number(0, "error.nvmlInit", OK);
    if (code == OK) users++;
    return code;
}

int nvmlShutdown(void) { return users ? (users--, OK) : UNINITIALIZED; }

const char *nvmlErrorString(int code) {
    static char text[LINE];
    snprintf(text, sizeof text, "emulated error %d", code);
    return text;
}

int nvmlSystemGetDriverVersion(char *version, unsigned size) { return text_into(0, "driver", version, size); }
int nvmlSystemGetNVMLVersion(char *version, unsigned size) { return text_into(0, "driver", version, size); }
int nvmlSystemGetCudaDriverVersion_v2(int *version) { ANSWER(0, *version = (int)number(0, "cuda", 13000)); }
int nvmlDeviceGetCount_v2(unsigned *count) { ANSWER(0, *count = (unsigned)number(0, "count", 1)); }

int nvmlDeviceGetHandleByIndex_v2(unsigned index, handle *device) {
    if (index >= MAX_GPUS || index >= number(0, "count", 1)) return INVALID_ARGUMENT;
    devices[index].index = (int)index;
    ANSWER((int)index, *device = &devices[index]);
}

int nvmlDeviceGetName(handle gpu, char *name, unsigned size) { return text_into(gpu->index, "name", name, size); }
int nvmlDeviceGetUUID(handle gpu, char *uuid, unsigned size) { return text_into(gpu->index, "uuid", uuid, size); }

int nvmlDeviceGetTotalEnergyConsumption(handle gpu, unsigned long long *millijoules) {
    struct wave wave = wave_of(gpu->index);
    double frozen_s = number(gpu->index, "frozen_s", HUGE_VAL); /* since the origin: the counter stops there */
    double unused, shown_s = fmin(updated_s(gpu->index), frozen_s);
    double total_j = number(gpu->index, "offset_j", 0) + energy_j(&wave, shown_s, &unused);
    ANSWER(gpu->index, *millijoules = (unsigned long long)llround(total_j * 1e3));
}

int nvmlDeviceGetPowerUsage(handle gpu, unsigned *milliwatts) {
    double watts = number(gpu->index, "power_usage_averaged", 1) ? average_w(gpu->index) : instant_w(gpu->index);
    ANSWER(gpu->index, *milliwatts = (unsigned)lround(watts * 1e3));
}

struct field {
    unsigned id, scope;
    long long timestamp, latency_us;
    int type, code;
    union { double real; unsigned natural; unsigned long long large; } value;
};

/* Scope 0 always answers; `module_w` and `memory_w` make scopes 1 and 2 answer, with a share of their own. */
static void fill(int gpu, struct field *field) {
    const char *scope = field->scope == 1 ? "module_w" : "memory_w";
    double extra_w = field->scope ? number(gpu, scope, -1) : 0;
    char key[LINE];
    snprintf(key, sizeof key, "error.field.%u", field->id);
    field->code = (int)number(gpu, key, OK);
    field->type = TYPE_UNSIGNED_INT;
    if ((field->id != FIELD_AVERAGE && field->id != FIELD_INSTANT) || field->scope > 2 || extra_w < 0) {
        field->code = NOT_SUPPORTED;
    } else if (field->code == OK) {
        double gpu_w = field->id == FIELD_AVERAGE ? average_w(gpu) : instant_w(gpu);
        field->value.natural = (unsigned)lround((field->scope == 2 ? extra_w : gpu_w + extra_w) * 1e3);
    }
}

int nvmlDeviceGetFieldValues(handle gpu, int count, struct field *fields) {
    for (int i = 0; i < count; i++) fill(gpu->index, &fields[i]);
    ANSWER(gpu->index, (void)0);
}

int nvmlDeviceGetClockInfo(handle gpu, int type, unsigned *mhz) {
    ANSWER(gpu->index, *mhz = (unsigned)number(gpu->index, type == 2 ? "memory_clock" : "sm_clock", 1500));
}

int nvmlDeviceGetUtilizationRates(handle gpu, unsigned percent[2]) {
    ANSWER(gpu->index, percent[0] = (unsigned)number(gpu->index, "utilisation", 90);
           percent[1] = (unsigned)number(gpu->index, "memory_utilisation", 40));
}

struct temperature { unsigned version, sensor; int celsius; };

int nvmlDeviceGetTemperatureV(handle gpu, struct temperature *temperature) {
    ANSWER(gpu->index, temperature->celsius = (int)number(gpu->index, "temperature", 55));
}

struct memory { unsigned version; unsigned long long total, reserved, free, used; };

int nvmlDeviceGetMemoryInfo_v2(handle gpu, struct memory *memory) {
    ANSWER(gpu->index, memory->total = 80ULL << 30;
           memory->used = (unsigned long long)number(gpu->index, "memory_used", 1 << 30));
}

int nvmlDeviceGetCurrentClocksEventReasons(handle gpu, unsigned long long *reasons) {
    ANSWER(gpu->index, *reasons = (unsigned long long)number(gpu->index, "reasons", 0));
}

int nvmlDeviceGetEnforcedPowerLimit(handle gpu, unsigned *milliwatts) {
    ANSWER(gpu->index, *milliwatts = (unsigned)(number(gpu->index, "power_limit_w", 700) * 1e3));
}

struct process { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; };

int nvmlDeviceGetComputeRunningProcesses_v3(handle gpu, unsigned *count, struct process *processes) {
    char text[LINE] = "";
    unsigned room = *count, seen = 0;
    int code = failure(gpu->index, __func__);
    if (code != OK) return code;
    lookup(gpu->index, "processes", text);
    for (char *pid = strtok(text, ","); pid; pid = strtok(NULL, ","), seen++)
        if (seen < room) processes[seen] = (struct process){(unsigned)atoi(pid), 1ULL << 30, ~0U, ~0U};
    *count = seen;
    return seen > room ? INSUFFICIENT_SIZE : OK;
}

int nvmlDeviceGetArchitecture(handle gpu, unsigned *architecture) {
    ANSWER(gpu->index, *architecture = (unsigned)number(gpu->index, "architecture", 9));
}

int nvmlDeviceGetCudaComputeCapability(handle gpu, int *major, int *minor) {
    double capability = number(gpu->index, "capability", 9.0);
    ANSWER(gpu->index, *major = (int)capability; *minor = (int)lround((capability - floor(capability)) * 10));
}

int nvmlDeviceGetPersistenceMode(handle gpu, unsigned *mode) {
    ANSWER(gpu->index, *mode = (unsigned)number(gpu->index, "persistence", 1));
}

int nvmlDeviceGetEccMode(handle gpu, unsigned *current, unsigned *pending) {
    ANSWER(gpu->index, *current = *pending = (unsigned)number(gpu->index, "ecc", 1));
}

int nvmlDeviceGetMigMode(handle gpu, unsigned *current, unsigned *pending) {
    ANSWER(gpu->index, *current = *pending = (unsigned)number(gpu->index, "mig", 0));
}

int nvmlDeviceGetVirtualizationMode(handle gpu, unsigned *mode) {
    ANSWER(gpu->index, *mode = (unsigned)number(gpu->index, "virtualization", 0));
}

struct link { unsigned enabled; };

int nvmlDeviceGetC2cModeInfoV(handle gpu, struct link *link) {
    ANSWER(gpu->index, link->enabled = (unsigned)number(gpu->index, "c2c", 0));
}
