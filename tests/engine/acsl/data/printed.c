/* Functions of which clauses in less common words are inferred: what samples/ has none of. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum mode { OFF, SLOW, FAST = 7 };

struct point {
    short x, y;
};

struct thing {
    char name[16];
    char rows[4][8];
    unsigned char raw[8];
    const char *label;
    unsigned flag : 3;
    int grid[3][4];
    struct point where, *path;
    unsigned char length;
    enum mode mode;
    union {
        int whole;
        char bytes[4];
    } u;
    struct thing *next;
};

static int table[8];
static struct thing things[4];
static struct point corners[2][3];
static char *names[5];
static unsigned used;
static const char letters[] = "abc";
char text[32];

size_t name_length(const struct thing *t) { return strlen(t->name); }
size_t label_length(const struct thing *t) { return strlen(t->label); }
size_t row_length(const struct thing *t) { return strlen(t->rows[2]); }
size_t any_row_length(const struct thing *t, int i) { return strlen(t->rows[i]); }
size_t raw_length(const struct thing *t) { return strlen((const char *)t->raw); }
size_t tail_length(const struct thing *t) { return strlen(t->name + 3); }
size_t untyped_length(const void *p) { return strlen(p); }
size_t signed_length(const signed char *p) { return strlen((const char *)p); }
size_t word_length(const char **words, int i) { return strlen(words[i]); }
size_t global_length(void) { return strlen(text); }
size_t listed_length(int i) { return strlen(names[i]); }
size_t skipped_length(const char *s, int n) { return strlen(s + n); }
size_t bytes_length(const struct thing *t) { return strlen(t->u.bytes); }
int grid_at(const struct thing *t, int i, int j) { return t->grid[i][j]; }
int row_of(int (*rows)[4], int i, int j) { return rows[i][j]; }
int cell_of(int rows[][4], int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum ^= rows[i][0];
    return sum;
}
short corner(int i, int j) { return corners[i][j].y; }
short step_of(const struct thing *t, unsigned i) { return t->path[i].y; }
short steps_of(const struct thing *t) {
    short sum = 0;
    for (int i = 0; i < t->length; i++)
        sum ^= t->path[i].x;
    return sum;
}
int by_flag(const struct thing *t) { return 100 / t->flag; }
int by_mode(enum mode m) { return m == OFF ? 0 : 100 / (m - FAST); }
int by_field(const struct thing *t) { return t->mode == FAST ? 1 / t->u.whole : 2; }
int by_difference(unsigned char a, unsigned char b) { return 100 / (a - b); }
int by_product(int a, int b) { return 100 / (a * b); }
int by_cast(unsigned n) { return 100 / (int)n; }
int by_narrow(int n) { return 100 / (signed char)n; }
long long by_long(long long n) { return 1 / (n - 4000000000LL); }
int by_bool(_Bool b, int n) { return b ? 1 / n : 0; }
int by_nested(const struct thing *t) { return 1 / t->where.x; }
int by_next(const struct thing *t) { return t->next != NULL ? t->next->next->length : 0; }
int by_global(void) { return table[used]; }
int by_thing(int i) { return 1 / things[i].length; }
int by_table(int i) { return 1 / table[table[i]]; }
int by_letter(char c) { return c == 'x' ? 1 / used : 0; }
int by_quote(char c, int *p) { return c == '\'' || c == '\n' ? *p : 0; }
void copied(struct thing *t, const void *from, size_t n) { memcpy(t->raw, from, n); }
void copied_all(char *to, const struct thing *t) { strcpy(to, t->name); }
void moved(struct point *to, const struct point *from, int n) { memcpy(to, from, n * sizeof *to); }
void zeroed(struct thing *t) { memset(t, 0, sizeof *t); }
void set_all(struct thing *t, int n) {
    for (int i = 0; i <= n; i++)
        t[i].length = 0;
}
void set_row(int (*rows)[4], int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            rows[i][j] = 0;
}
int backwards(const int *p) { return p[-1]; }
int between(const char *from, const char *to) {
    int n = 0;
    for (const char *p = from; p != to; p++)
        n ^= *p;
    return n;
}
int between_fields(const char *p, const struct thing *t) { return p < t->name ? 1 : 1 / (int)(t->name - p); }
int through(int **p) { return **p; }
int far_through(struct thing **t, int i) { return t[i]->where.y; }
int called(int (*f)(int), int n) { return f(n); }
int filled(struct point *p, int n) {
    if (n < 0)
        return -1;
    p->x = p->y = 1;
    return 0;
}
int made(struct thing **out, int n) {
    struct thing *t = n > 0 ? malloc(sizeof *t) : NULL;
    if (t == NULL)
        return -5;
    t->length = 1;
    *out = t;
    return 0;
}
struct thing *chosen(int i) { return i ? &things[1] : &things[0]; }
char *same(char *p) { return p; }
void *allocated(size_t n) {
    void *p = malloc(n);
    if (p == NULL)
        abort();
    return p;
}
enum mode mode_of(int n) { return n ? SLOW : FAST; }
_Bool small(int n) { return n < 10; }
char letter(unsigned i) { return letters[i]; }
int shifted(int x, int n) { return x << n; }
unsigned long long wide(unsigned n) { return 1ULL << n; }
int by_sum(int a, int b, int c) { return 10 / (a + 2 * b - c); }
int by_long_index(const int *p, long i, long j) { return p[4 * i + j]; }
double real(const double *p, int i) { return p[i]; }
int released(struct thing *t) {
    free(t->path);
    return 0;
}
