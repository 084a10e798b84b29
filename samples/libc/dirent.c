/* <dirent.h> */
#include <dirent.h>
#include <stddef.h>
#include <string.h>

int not_opened_bad(void) {
    DIR *folder = opendir(".");
    struct dirent *entry = readdir(folder);  // expect: alarm null-deref
    closedir(folder);
    return entry != NULL;
}

int not_closed_bad(void) {
    DIR *folder = opendir(".");  // expect: alarm memory-leak
    if (folder == NULL)
        return 0;
    return readdir(folder) != NULL;
}

int after_close_bad(void) {
    DIR *folder = opendir(".");
    if (folder == NULL)
        return 0;
    closedir(folder);
    return readdir(folder) != NULL;  // expect: alarm use-after-free
}

char last_entry_bad(void) {
    DIR *folder = opendir(".");
    if (folder == NULL)
        return 0;
    struct dirent *entry = readdir(folder);
    char first = entry->d_name[0];  // expect: alarm null-deref
    closedir(folder);
    return first;
}

char first_entry_ok(void) {
    DIR *folder = opendir(".");
    if (folder == NULL)
        return 0;
    struct dirent *entry = readdir(folder);
    char first = entry != NULL ? entry->d_name[0] : 0;  // expect: proved null-deref
    closedir(folder);  // expect: proved null-deref
    return first;
}

/* Names may have 255 characters. */
void name_bad(DIR *folder) {
    char name[4];
    if (folder == NULL)
        return;
    struct dirent *entry = readdir(folder);
    if (entry != NULL)
        strcpy(name, entry->d_name);  // expect: alarm out-of-bounds
}

size_t name_ok(DIR *folder) {
    if (folder == NULL)
        return 0;
    struct dirent *entry = readdir(folder);
    return entry != NULL ? strlen(entry->d_name) : 0;  // expect: proved out-of-bounds
}
