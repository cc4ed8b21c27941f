/* SPDX-License-Identifier: MIT */
/*
 * Control flow to rows (kvlang.md 5.3): blocks with labels that stand one
 * after the other; jumps name them until all rows have numbers. One counter
 * gives the numbers of temporaries and labels.
 */
#include "kv/lower.h"

#include "base/arena.h"

struct block {
	const char *label;
	struct list rows;
	struct block *next;
};

/* Where control goes behind a list of statements. target NULL: `return`. */
struct end {
	const char *target;
	struct loc loc;
};

/* Lowered statements: the rows that run first, and the blocks that follow. */
struct code {
	struct list head;
	struct block *blocks, **tail;
};

static void lower_list(struct lower *, const struct kv_stmt *, struct end,
    struct code *);

static void
code_init(struct code *c)
{
	*c = (struct code){ 0 };
	c->head.tail = &c->head.first;
	c->tail = &c->blocks;
}

static void
append_blocks(struct code *c, struct code *more)
{
	*c->tail = more->blocks;
	if (more->blocks)
		c->tail = more->tail;
}

static void
append_block(struct lower *l, struct code *c, const char *label,
    struct list *rows)
{
	struct block *b = arena_alloc(l->arena, sizeof(*b));

	b->label = label;
	b->rows = *rows;
	*c->tail = b;
	c->tail = &b->next;
}

static const char *
new_label(struct lower *l, const char *kind)
{
	return arena_printf(l->arena, "_%s_%d", kind, ++l->count);
}

static struct kv_operand *
target(struct lower *l, const char *label, struct loc loc)
{
	struct kv_operand *o = lower_name(l, NULL, loc);

	o->label = label;
	return o;
}

static void
emit_end(struct lower *l, struct list *out, struct end end)
{
	if (end.target)
		lower_emit(l, out, "goto", end.loc,
		    target(l, end.target, end.loc), NULL);
	else
		lower_emit(l, out, "return", end.loc, NULL, NULL);
}

static void
emit_goto(struct lower *l, struct list *out, const char *label,
    struct loc loc)
{
	emit_end(l, out, (struct end){ label, loc });
}

static void
emit_branch(struct lower *l, struct list *out, struct kv_operand *cond,
    const char *yes, const char *no)
{
	cond->next = target(l, yes, cond->loc);
	cond->next->next = target(l, no, cond->loc);
	lower_emit(l, out, "br", cond->loc, cond, NULL);
}

/* What stands behind stmt in its list is lowered first. */
static void
lower_if(struct lower *l, const struct kv_stmt *stmt, struct end end,
    struct code *c)
{
	const struct kv_stmt *other = stmt->other;
	struct code cont, cond, yes, no;
	struct kv_operand *value;
	const char *name[4];

	lower_list(l, stmt->next, end, &cont);
	code_init(&cond);
	value = lower_operand(l, &cond.head, stmt->expr, NULL);
	name[0] = new_label(l, "if");
	name[1] = new_label(l, "then");
	name[2] = new_label(l, "else");
	name[3] = new_label(l, "merge");
	end = (struct end){ name[3], stmt->loc };
	lower_list(l, stmt->body.first, end, &yes);
	if (other && other->kind == KV_LABEL)
		other = other->body.first;
	lower_list(l, other, end, &no);
	emit_goto(l, &c->head, name[0], stmt->loc);
	emit_branch(l, &cond.head, value, name[1], name[2]);
	append_block(l, c, name[0], &cond.head);
	append_block(l, c, name[1], &yes.head);
	append_block(l, c, name[2], &no.head);
	append_block(l, c, name[3], &cont.head);
	append_blocks(c, &yes);
	append_blocks(c, &no);
	append_blocks(c, &cont);
}

/* The body of a loop, in which break and continue have a meaning. */
static void
lower_body(struct lower *l, const struct kv_stmt *stmt, const char *again,
    const char *leave, struct code *c)
{
	const char *to_break = l->to_break, *to_continue = l->to_continue;

	l->to_break = leave;
	l->to_continue = again;
	lower_list(l, stmt->body.first, (struct end){ again, stmt->loc }, c);
	l->to_break = to_break;
	l->to_continue = to_continue;
}

static void
lower_while(struct lower *l, const struct kv_stmt *stmt, struct end end,
    struct code *c)
{
	struct code cont, cond, body;
	struct kv_operand *value;
	const char *name[3];

	lower_list(l, stmt->next, end, &cont);
	code_init(&cond);
	value = lower_operand(l, &cond.head, stmt->expr, NULL);
	name[0] = new_label(l, "while");
	name[1] = new_label(l, "do");
	name[2] = new_label(l, "exit");
	lower_body(l, stmt, name[0], name[2], &body);
	emit_goto(l, &c->head, name[0], stmt->loc);
	emit_branch(l, &cond.head, value, name[1], name[2]);
	append_block(l, c, name[0], &cond.head);
	append_block(l, c, name[1], &body.head);
	append_block(l, c, name[2], &cont.head);
	append_blocks(c, &body);
	append_blocks(c, &cont);
}

/* The names that a for makes for itself. */
struct walk {
	const char *init, *cond, *body, *exit;
	struct kv_operand *idx, *test, *len, *src;
};

static void
name_walk(struct lower *l, const struct kv_stmt *stmt, struct walk *w)
{
	w->init = new_label(l, "for_init");
	w->cond = new_label(l, "for_cond");
	w->body = new_label(l, "for_body");
	w->exit = new_label(l, "for_exit");
	w->idx = lower_temp(l, stmt->loc);
	w->test = lower_temp(l, stmt->loc);
	w->len = lower_temp(l, stmt->loc);
	/* A walk over a container needs its keys and the key at hand. */
	l->count += 2;
}

/* Index before the first element, length; the source, if it must be kept. */
static void
emit_walk_init(struct lower *l, const struct kv_stmt *stmt, struct walk *w,
    struct list *out)
{
	struct kv_operand *o;

	w->src = lower_operand(l, out, stmt->expr, NULL);
	if (!w->src->name) {
		o = lower_temp(l, stmt->expr->loc);
		lower_emit(l, out, "=", stmt->expr->loc, w->src, lower_same(l, o));
		w->src = o;
	}
	lower_emit(l, out, "=", stmt->loc, lower_number(l, -1, stmt->loc),
	    lower_same(l, w->idx));
	lower_emit(l, out, "ndarray·numel", stmt->expr->loc, lower_same(l, w->src),
	    lower_same(l, w->len));
	emit_goto(l, out, w->cond, stmt->loc);
}

static void
lower_for(struct lower *l, const struct kv_stmt *stmt, struct end end,
    struct code *c)
{
	struct code cont, init, cond, body, fetch;
	struct kv_operand *reads;
	struct walk w;

	lower_list(l, stmt->next, end, &cont);
	code_init(&init);
	code_init(&cond);
	code_init(&fetch);
	name_walk(l, stmt, &w);
	emit_walk_init(l, stmt, &w, &init.head);
	reads = lower_same(l, w.idx);
	reads->next = lower_number(l, 1, stmt->loc);
	lower_emit(l, &cond.head, "add", stmt->loc, reads, lower_same(l, w.idx));
	reads = lower_same(l, w.idx);
	reads->next = lower_same(l, w.len);
	lower_emit(l, &cond.head, "lt", stmt->loc, reads, lower_same(l, w.test));
	emit_branch(l, &cond.head, w.test, w.body, w.exit);
	reads = lower_same(l, w.src);
	reads->next = lower_same(l, w.idx);
	lower_emit(l, &fetch.head, "for·item", stmt->expr->loc, reads,
	    lower_slots(l, stmt->writes));
	lower_body(l, stmt, w.cond, w.exit, &body);
	*fetch.head.tail = body.head.first;
	emit_goto(l, &c->head, w.init, stmt->loc);
	append_block(l, c, w.init, &init.head);
	append_block(l, c, w.cond, &cond.head);
	append_block(l, c, w.body, &fetch.head);
	append_block(l, c, w.exit, &cont.head);
	append_blocks(c, &body);
	append_blocks(c, &cont);
}

/* The block and what stands behind it are one list under the label. */
static void
lower_label(struct lower *l, const struct kv_stmt *stmt, struct end end,
    struct code *c)
{
	struct kv_stmt *list = NULL, **tail = &list;
	const struct kv_stmt *s;
	struct code body;

	for (s = stmt->body.first; s; s = s->next) {
		*tail = arena_alloc(l->arena, sizeof(*s));
		**tail = *s;
		tail = &(*tail)->next;
	}
	*tail = stmt->next;
	lower_list(l, list, end, &body);
	emit_goto(l, &c->head, stmt->label, stmt->loc);
	append_block(l, c, stmt->label, &body.head);
	append_blocks(c, &body);
}

/* A statement behind which its list is already lowered: true. */
static bool
lower_stmt(struct lower *l, const struct kv_stmt *stmt, struct end end,
    struct code *c)
{
	switch (stmt->kind) {
	case KV_INSTRUCTION:
		lower_instruction(l, &c->head, stmt);
		return false;
	case KV_DECLARATION:
		return false;
	case KV_RETURN:
		emit_goto(l, &c->head, NULL, stmt->loc);
		return true;
	case KV_BREAK:
		emit_goto(l, &c->head, l->to_break, stmt->loc);
		return true;
	case KV_CONTINUE:
		emit_goto(l, &c->head, l->to_continue, stmt->loc);
		return true;
	case KV_IF:
		lower_if(l, stmt, end, c);
		return true;
	case KV_WHILE:
		lower_while(l, stmt, end, c);
		return true;
	case KV_FOR:
		lower_for(l, stmt, end, c);
		return true;
	case KV_LABEL:
		lower_label(l, stmt, end, c);
		return true;
	}
	return false;
}

static void
lower_list(struct lower *l, const struct kv_stmt *stmt, struct end end,
    struct code *c)
{
	code_init(c);
	for (; stmt; stmt = stmt->next)
		if (lower_stmt(l, stmt, end, c))
			return;
	emit_end(l, &c->head, end);
}

/* Appends rows to the function, numbered on from *n. */
static void
append_rows(struct kv_row ***tail, struct kv_row *row, int64_t *n)
{
	**tail = row;
	for (; row; row = row->next) {
		*tail = &row->next;
		++*n;
	}
}

static void
resolve(struct lower *l, struct kv_row *row, const struct map *labels)
{
	const struct kv_label *label;
	struct kv_operand *o;

	for (; row; row = row->next)
		for (o = row->reads; o; o = o->next) {
			if (!o->label)
				continue;
			label = map_get(labels, o->label);
			o->value = lower_number(l, label->row, o->loc)->value;
		}
}

struct kv_code
kv_lower(const struct kv_func *f, struct arena *arena, struct diag *diag)
{
	struct lower l = { .arena = arena, .diag = diag };
	struct kv_code out = { 0 };
	struct kv_label **label = &out.labels;
	struct kv_row **tail = &out.rows;
	const struct block *b;
	struct map labels;
	struct code c;
	int64_t n = 0;

	lower_list(&l, f->body.first, (struct end){ NULL, f->end }, &c);
	map_init(&labels, arena);
	append_rows(&tail, c.head.first, &n);
	for (b = c.blocks; b; b = b->next) {
		*label = arena_alloc(arena, sizeof(**label));
		**label = (struct kv_label){ b->label, n + 1, NULL };
		map_set(&labels, b->label, *label);
		label = &(*label)->next;
		append_rows(&tail, b->rows.first, &n);
	}
	resolve(&l, out.rows, &labels);
	return out;
}
