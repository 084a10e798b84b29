/* Contract comments, right and wrong ones, that were put to Frama-C (../frama_c.py) and are put to us. What is
   above the first contract comes with each of them. */

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define LIMIT 16
#define FIRST(x) ((x)->data[0])
enum color { RED, GREEN = 4 };
typedef struct node { int value; unsigned flag : 3; struct node *next; } node;
typedef unsigned long count;
struct stack { size_t length, room; int *data; char name[16]; };
union both { int i; char c[4]; };
int total, table[LIMIT], *where;
const int fixed[3] = {1, 2, 3};

/* --- requires, comparisons, C expressions */

/*@ requires n > 0; */
int largest(const int *p, int n);

/*@ requires 0 <= n < 10 <= INT_MAX; */
int largest(const int *p, int n);

/*@ requires n == 1 || n == 2 || n >= LIMIT && n != 20; */
int largest(const int *p, int n);

/*@ requires !(n < 0) && -n < +3 - ~n; */
int largest(const int *p, int n);

/*@ requires n; */
int largest(const int *p, int n);

/*@ requires p; */
int largest(const int *p, int n);

/*@ requires !p || *p; */
int largest(const int *p, int n);

/*@ requires n % 2 == 0 ==> n / 2 <= 8 ==> n > -4; */
int largest(const int *p, int n);

/*@ requires (n > 0) <==> (p != \null); */
int largest(const int *p, int n);

/*@ requires n > 0 ^^ p == \null; */
int largest(const int *p, int n);

/*@ requires \true && !\false; */
int largest(const int *p, int n);

/*@ requires positive: n > 0; requires small: n < 10; */
int largest(const int *p, int n);

/*@ requires n > 0 ? p != \null : p == \null; */
int largest(const int *p, int n);

/*@ requires p != 0 && \null != p && p != NULL; */
int largest(const int *p, int n);

/*@ requires p[0] <= p[n - 1] && *(p + 1) == *p; */
int largest(const int *p, int n);

/*@ requires p < p + n && (p + n) - p == n; */
int largest(const int *p, int n);

/*@ requires (u & 0xFFu) == 3 && (u | 1) != 0 && (u ^ 5) > 2; */
int bit(unsigned u, int i, long l, char c);

/*@ requires u >> 3 < 1 << 4 && 1 << i < 100; */
int bit(unsigned u, int i, long l, char c);

/*@ requires c == 'a' || c == '\n' || c >= '0'; */
int bit(unsigned u, int i, long l, char c);

/*@ requires (unsigned char)c < 128 && (long)i * 2 < l && (count)u > 1; */
int bit(unsigned u, int i, long l, char c);

/*@ requires i < sizeof(int) * 4 && u != sizeof(table); */
int bit(unsigned u, int i, long l, char c);

/*@ requires (u & 1) ==> (i | 2) > l; */
int bit(unsigned u, int i, long l, char c);

/*@ requires l == 0x7fffL || l == 077 || l <= 12345678901; */
int bit(unsigned u, int i, long l, char c);

/* --- validity, ranges */

/*@ requires \valid(p) && \valid_read(q); */
int two(int *p, int *q, node *l);

/*@ requires \valid_read(p + (0 .. n - 1)); */
int largest(const int *p, int n);

/*@ requires \valid(q + 3) && \valid(&q[2]) && \valid(&total); */
int two(int *p, int *q, node *l);

/*@ requires \valid(&p[0 .. 3]); */
int two(int *p, int *q, node *l);

/*@ requires \valid(s) && \valid(s->data + (0 .. s->room - 1)) && s->length <= s->room; */
void push(struct stack *s, int value);

/*@ requires \valid(&s->name[0 .. 15]) && \valid_read(&s->length); */
void push(struct stack *s, int value);

/*@ requires p == \null || \valid(p); */
int two(int *p, int *q, node *l);

/*@ requires !\valid(p); */
int two(int *p, int *q, node *l);

/*@ requires \valid(pp) && \valid(*pp) && \valid(&(*pp)[1]); */
int deep(int **pp, int (*row)[4], char **names);

/*@ requires \valid(&row[0][0 .. 3]) && row[1][2] > 0; */
int deep(int **pp, int (*row)[4], char **names);

/*@ requires \initialized(p); */
int two(int *p, int *q, node *l);

/*@ requires \initialized(p + (0 .. 7)) && \initialized(&l->value); */
int two(int *p, int *q, node *l);

/*@ requires \valid(l) && \initialized(l) && l->next->next == \null; */
int two(int *p, int *q, node *l);

/*@ requires valid_read_string(from) && valid_string(to); */
size_t text(char *to, const char *from, void *any, unsigned char *raw);

/*@ requires valid_read_string(&s->name[0]); */
void push(struct stack *s, int value);

/*@ requires \valid(raw) && \valid_read((int *)any); */
size_t text(char *to, const char *from, void *any, unsigned char *raw);

/* --- globals, aggregates, enumerators, macros */

/*@ requires total >= 0 && table[3] == fixed[1] && where == &total; */
int largest(const int *p, int n);

/*@ requires where == table || where == &table[1]; */
int largest(const int *p, int n);

/*@ requires n.value > 0 && n.flag == 2 && b.i == b.c[0] && e == RED; */
long by_value(node n, union both b, enum color e);

/*@ requires e == GREEN || (int)e == 2; */
long by_value(node n, union both b, enum color e);

/*@ requires FIRST(s) > LIMIT; */
void push(struct stack *s, int value);

/*@ requires l->next->value == l->value; */
int two(int *p, int *q, node *l);

/*@ requires sizeof(struct stack) > 8 && sizeof(node *) == sizeof(void *); */
void push(struct stack *s, int value);

/* --- ensures, \result, \old */

/*@ ensures \result >= p[0]; */
int largest(const int *p, int n);

/*@ ensures \result == \old(n) || \result == -1; */
int largest(const int *p, int n);

/*@ ensures \result == (n > 0 ? 1 : 0); */
int largest(const int *p, int n);

/*@ ensures *p == \old(*q) && *q == \old(*p); */
int two(int *p, int *q, node *l);

/*@ ensures s->length == \old(s->length) + 1 && s->data[\old(s->length)] == value; */
void push(struct stack *s, int value);

/*@ ensures \old(s)->length == s->length; */
void push(struct stack *s, int value);

/*@ ensures \result == \null || \valid(\result) && \result->value == n; */
node *made(int n);

/*@ ensures \valid(\result) ==> \result->next == \null; */
node *made(int n);

/*@ ensures \result != \null ==> \initialized(&\result->value); */
node *made(int n);

/*@ ensures \old(n > 0) ==> *p == n; ensures \result == n; */
int defined(int *p, int n) { *p = n; return n; }

/*@ ensures \result == 0 || \result == 1;
  @ assigns \nothing;
  @ */
int largest(const int *p, int n);

/*@ ensures \initialized(to + (0 .. \result)); */
size_t text(char *to, const char *from, void *any, unsigned char *raw);

/*@ ensures valid_string(to) && valid_read_string(\old(to)); */
size_t text(char *to, const char *from, void *any, unsigned char *raw);

/* --- assigns */

/*@ assigns \nothing; */
int largest(const int *p, int n);

/*@ assigns *p, total; */
int two(int *p, int *q, node *l);

/*@ assigns p[0 .. 3], q[1], l->value; */
int two(int *p, int *q, node *l);

/*@ assigns s->length, s->data[0 .. s->room - 1], s->name[0]; */
void push(struct stack *s, int value);

/*@ assigns *(p + (0 .. 3)); */
int two(int *p, int *q, node *l);

/*@ assigns *p; assigns *q; */
int two(int *p, int *q, node *l);

/*@ assigns table, table[0 .. 3]; */
int largest(const int *p, int n);

/*@ requires \valid(p); assigns *p; ensures *p == n && \result == \old(n); */
int defined(int *p, int n) { *p = n; return n; }

/*@ assigns **pp, (*pp)[1]; */
int deep(int **pp, int (*row)[4], char **names);

/*@ assigns *s; */
void push(struct stack *s, int value);

/*@ // a note
requires n > 0; // and another
ensures \true; */
int largest(const int *p, int n);

/*@ requires
  @   n > 0
  @   && p != \null;
  @ */
int largest(const int *p, int n);

/* --- wrong: syntax */

/*@ requires n > ; */
int largest(const int *p, int n);

/*@ requires n > 0 */
int largest(const int *p, int n);

/*@ requires n >> > 0; */
int largest(const int *p, int n);

/*@ requires (n > 0; */
int largest(const int *p, int n);

/*@ requires n > 0); */
int largest(const int *p, int n);

/*@ requires ; */
int largest(const int *p, int n);

/*@ requires n = 3; */
int largest(const int *p, int n);

/*@ requires n++ > 3; */
int largest(const int *p, int n);

/*@ requires a < b > c; */
int largest(const int *p, int n);

/*@ requires 0 < n > 3; */
int largest(const int *p, int n);

/*@ requires n != 3 != 4; */
int largest(const int *p, int n);

/*@ requires \valid p; */
int two(int *p, int *q, node *l);

/*@ requires \valid(); */
int two(int *p, int *q, node *l);

/*@ requires \nosuch(p); */
int two(int *p, int *q, node *l);

/*@ requires n > 0, p; */
int largest(const int *p, int n);

/*@ requires n ==> ; */
int largest(const int *p, int n);

/*@ ensures \result =< 0; */
int largest(const int *p, int n);

/*@ requires n > 0; wishes p; */
int largest(const int *p, int n);

/*@ assigns ; */
int largest(const int *p, int n);

/*@ assigns *p *q; */
int two(int *p, int *q, node *l);

/*@ requires s->; */
void push(struct stack *s, int value);

/*@ requires table[3; */
int largest(const int *p, int n);

/* --- wrong: names */

/*@ requires m > 0; */
int largest(const int *p, int n);

/*@ requires s->nosuch > 0; */
void push(struct stack *s, int value);

/*@ requires \valid(nosuch + (0 .. 3)); */
int largest(const int *p, int n);

/*@ requires largest(p, n) > 0; */
int largest(const int *p, int n);

/*@ requires nosuch(n) > 0; */
int largest(const int *p, int n);

/*@ requires (nosuch_t)n > 0; */
int largest(const int *p, int n);

/*@ requires sizeof(struct nosuch) > 0; */
int largest(const int *p, int n);

/*@ assigns nosuch; */
int largest(const int *p, int n);

/* --- wrong: types */

/*@ requires *n > 0; */
int largest(const int *p, int n);

/*@ requires n->value > 0; */
int largest(const int *p, int n);

/*@ requires n.value > 0; */
int largest(const int *p, int n);

/*@ requires l.value > 0; */
int two(int *p, int *q, node *l);

/*@ requires \valid(n); */
int largest(const int *p, int n);

/*@ requires \valid(any); */
size_t text(char *to, const char *from, void *any, unsigned char *raw);

/*@ requires \initialized(n); */
int largest(const int *p, int n);

/*@ requires \initialized(any); */
size_t text(char *to, const char *from, void *any, unsigned char *raw);

/*@ requires p == n; */
int largest(const int *p, int n);

/*@ requires p + p == q; */
int two(int *p, int *q, node *l);

/*@ requires -p == q; */
int two(int *p, int *q, node *l);

/*@ requires p * 2 > 3; */
int two(int *p, int *q, node *l);

/*@ requires s->length[0] == 1; */
void push(struct stack *s, int value);

/*@ requires *s; */
void push(struct stack *s, int value);

/*@ requires n ==> 3; */
long by_value(node n, union both b, enum color e);

/*@ requires valid_read_string(p); */
int two(int *p, int *q, node *l);

/*@ requires valid_string(n); */
int largest(const int *p, int n);

/*@ requires &3 == p; */
int largest(const int *p, int n);

/*@ requires \valid(&(n + 1)); */
int largest(const int *p, int n);

/*@ assigns n + 1; */
int largest(const int *p, int n);

/*@ assigns 3; */
int largest(const int *p, int n);

/*@ assigns *n; */
int largest(const int *p, int n);

/* --- wrong: what only some clauses may say */

/*@ requires \result > 0; */
int largest(const int *p, int n);

/*@ ensures \result > 0; */
void push(struct stack *s, int value);

/*@ requires \old(n) > 0; */
int largest(const int *p, int n);

/*@ assigns \old(*p); */
int two(int *p, int *q, node *l);

/*@ requires \nothing; */
int largest(const int *p, int n);

/*@ assigns \nothing, total; */
int largest(const int *p, int n);

/*@ ensures p[0 .. 3] == 0; */
int largest(const int *p, int n);

/*@ requires (0 .. 3) == 1; */
int largest(const int *p, int n);

/* --- which are not easily told */

/*@ ensures \old(\result) > 0; */
int largest(const int *p, int n);

/*@ ensures \old(\old(n)) > 0; */
int largest(const int *p, int n);

/*@ requires p == q && p == l; */
int two(int *p, int *q, node *l);

/*@ requires p == any; */
int other(int *p, void *any);

/*@ requires c == "a"; */
int bit(unsigned u, int i, long l, char c);

/*@ assigns n; */
int largest(const int *p, int n);

/*@ assigns fixed[0]; */
int largest(const int *p, int n);

/*@ assigns *p; */
int largest(const int *p, int n);

/*@ requires \valid(pp + (0 .. 3)) && **pp == 1; */
int deep(int **pp, int (*row)[4], char **names);

/*@ requires n == 0 == 1; */
int largest(const int *p, int n);

/*@ requires 0 == n == 0; */
int largest(const int *p, int n);

/*@ requires (n > 0) == (p != \null); */
int largest(const int *p, int n);

/*@ requires (n > 0) + 1 == 2; */
int largest(const int *p, int n);

/*@ requires n & 1; */
int largest(const int *p, int n);

/*@ requires !n; */
int largest(const int *p, int n);

/*@ requires n && p; */
int largest(const int *p, int n);

/*@ requires l->value ? p == q : p != q; */
int two(int *p, int *q, node *l);
/*@ assigns p[0]; */
int largest(const int *p, int n);

/*@ requires any + 1 != \null; */
size_t text(char *to, const char *from, void *any, unsigned char *raw);

/*@ assigns *any; */
size_t text(char *to, const char *from, void *any, unsigned char *raw);

/*@ requires (int)(n > 0) == 1; */
int largest(const int *p, int n);

/*@ ensures \result == (n > 0); */
int largest(const int *p, int n);

/*@ ensures \result == (n > 0 && p != \null); */
int largest(const int *p, int n);

/*@ ensures \result <==> n > 0; */
int largest(const int *p, int n);

/*@ requires p[n > 0] == 1; */
int largest(const int *p, int n);

/*@ requires -(n > 0) == 1; */
int largest(const int *p, int n);

/*@ requires n == \true; */
int largest(const int *p, int n);

/*@ assigns n.value; */
long by_value(node n, union both b, enum color e);

/*@ assigns s->name; */
void push(struct stack *s, int value);

/*@ assigns s->name[0 .. 3], l; */
int mixed(struct stack *s, node *l);

/*@ assigns s->name[0 .. 3], l->next->value, total; */
int mixed(struct stack *s, node *l);

/*@ assigns s->name[..], table[0 ..]; */
int mixed(struct stack *s, node *l);

/*@ requires \valid(p + (0 ..)); */
int two(int *p, int *q, node *l);

/*@ requires \valid(&total + 1) && \valid(table + (0 .. 15)) && \valid(&table[0]); */
int two(int *p, int *q, node *l);

/*@ requires \valid(table); */
int two(int *p, int *q, node *l);

/*@ requires \valid(p[0 .. 3]); */
int two(int *p, int *q, node *l);

/*@ requires \valid(pp[0 .. 3]); */
int deep(int **pp, int (*row)[4], char **names);

/*@ requires valid_read_string(names[0]) && valid_read_string(*names + 1); */
int deep(int **pp, int (*row)[4], char **names);

/*@ requires valid_read_string(s->name); */
void push(struct stack *s, int value);

/*@ requires valid_read_string(raw); */
size_t text(char *to, const char *from, void *any, unsigned char *raw);

/*@ requires 1.5 < 2; */
int largest(const int *p, int n);

/*@ requires n < 10 == (p != \null); */
int largest(const int *p, int n);

/*@ requires 0 < n == 1; */
int largest(const int *p, int n);

/*@ requires n < LIMIT == 1 <= 3; */
int largest(const int *p, int n);

/*@ requires *l == *l->next; */
int two(int *p, int *q, node *l);
