/* <stdio.h>: streams are opened, used and closed. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int first_byte_bad(const char *path) {
    if (path == NULL)
        return -1;
    FILE *file = fopen(path, "r");
    int c = fgetc(file);  // expect: alarm null-deref
    fclose(file);
    return c;
}

int first_byte_ok(const char *path) {
    if (path == NULL)
        return -1;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    int c = fgetc(file);  // expect: proved null-deref
    fclose(file);  // expect: proved null-deref
    return c;
}

int no_path_bad(const char *path) {
    FILE *file = fopen(path, "r");  // expect: alarm null-deref
    if (file == NULL)
        return 0;
    return fclose(file);
}

int after_close_bad(void) {
    FILE *file = fopen("data", "r");
    if (file == NULL)
        return -1;
    fclose(file);
    return fgetc(file);  // expect: alarm use-after-free
}

int closed_twice_bad(void) {
    FILE *file = fopen("data", "w");
    if (file == NULL)
        return -1;
    if (fputs("text", file) < 0)
        fclose(file);
    return fclose(file);  // expect: alarm use-after-free
}

int never_closed_bad(void) {
    FILE *file = fopen("data", "r");  // expect: alarm memory-leak
    if (file == NULL)
        return -1;
    return fgetc(file);
}

/* The standard streams are open. */
int standard_ok(void) {
    fprintf(stderr, "%s\n", "message");  // expect: proved null-deref
    fputs("message", stdout);
    return fgetc(stdin);  // expect: proved null-deref
}

/* The line must fit with its terminator, and fgets is told so. */
int line_bad(void) {
    char line[16];
    if (fgets(line, 32, stdin) == NULL)  // expect: alarm out-of-bounds
        return 0;
    return line[0];
}

size_t line_ok(void) {
    char line[16];
    if (fgets(line, sizeof line, stdin) == NULL)  // expect: proved out-of-bounds
        return 0;
    return strlen(line);  // expect: proved out-of-bounds; proved uninit-read
}

/* Nothing was read if the file is at its end. */
size_t unchecked_line_bad(void) {
    char line[16];
    fgets(line, sizeof line, stdin);
    return strlen(line);  // expect: alarm uninit-read
}

int unlimited_bad(void) {
    char line[64];
    if (scanf("%s", line) != 1)  // expect: alarm out-of-bounds  // replay: confirmed-under-assumptions (not called for real)
        return 0;
    return line[0];
}

int too_few_bad(void) {
    int header[4];
    if (fread(header, sizeof *header, 4, stdin) < 2)
        return 0;
    return header[3] == 0;  // expect: alarm uninit-read
}

int enough_ok(void) {
    int header[4];
    if (fread(header, sizeof *header, 4, stdin) != 4)  // expect: proved out-of-bounds
        return 0;
    return header[3] == 0;  // expect: proved uninit-read
}

int too_many_bad(void) {
    int header[4];
    return fread(header, sizeof header, 4, stdin) == 4;  // expect: alarm out-of-bounds
}

int written_bad(void) {
    char record[8] = "record";
    return fwrite(record, 1, 16, stdout) == 16;  // expect: alarm out-of-bounds
}

int written_ok(void) {
    char record[8] = "record";
    return fwrite(record, 1, sizeof record, stdout) == 8;  // expect: proved out-of-bounds
}

int not_a_string_bad(void) {
    char tag[4] = {'R', 'I', 'F', 'F'};
    return puts(tag);  // expect: alarm out-of-bounds
}
