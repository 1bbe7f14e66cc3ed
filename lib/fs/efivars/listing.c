/* SPDX-License-Identifier: MIT */
/*
 * listing.c — which variables there are: the first list, and what changed in a shared store.
 *
 * Firmware gives each name in answer to the one before. A name that was given already does not end
 * the list; only when as many of them have come in a row as there are names at all is it certain
 * that the list runs in a circle, and it is cut there.
 */
#include <errno.h>

#include "base/log.h"
#include "fs/efivars/internal.h"

#define DEFAULT_MODE 0644
#define NAMES_MAX ((size_t)2 * NODES_MAX) /* that firmware may give, hidden ones included */

struct listing {
	size_t seen;     /* different variables */
	size_t repeated; /* the latest names in a row that were known already */
	bool has_waiting; /* one may take the place of another that is perhaps gone */
};

/* A name that is listed already: the same variable again, or another that no file can show. */
static void note_known(struct efivars *e, struct listing *listing, const struct node *node,
	bool is_same)
{
	notes_add_duplicate(&e->notes, node->canonical);
	if (is_same)
		listing->repeated++;
}

static bool is_same_key(const struct variable_key *a, const struct variable_key *b)
{
	if (a->count != b->count || !guid_equal(&a->vendor, &b->vendor))
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (a->units[i] != b->units[i])
			return false;
	}
	return true;
}

/* A listed node was found again: by this listing for the first time, or more than once. */
static void find_known(struct efivars *e, struct listing *listing, struct node *node,
	const struct variable_key *key)
{
	bool is_same = is_same_key(&node->key, key);

	if (node->is_seen || !is_same) {
		listing->has_waiting |= !node->is_seen;
		note_known(e, listing, node, is_same);
		return;
	}
	node->is_seen = true;
	node_forget_content(node);
	node->state = NODE_STORED;
	listing->seen++;
	listing->repeated = 0;
}

/* Takes one name in. 0 or -ENOMEM. Under the lock. */
static int take_name(struct efivars *e, struct listing *listing, const struct variable_key *key,
	const char *canonical)
{
	struct node *node = nodes_find(&e->nodes, canonical);
	int r;

	if (node && node->state == NODE_REMOVED) {
		/* Deleted by us, and here again by somebody else's hand: another file. */
		nodes_remove(&e->nodes, node);
		node = NULL;
	}
	if (node) {
		find_known(e, listing, node, key);
		return 0;
	}
	r = efivars_add_node(e, key, NULL, DEFAULT_MODE, &node);
	if (r < 0)
		return r;
	node->state = NODE_STORED;
	node->is_seen = true;
	listing->seen++;
	listing->repeated = 0;
	return 0;
}

static int take_found(struct efivars *e, struct listing *listing, const struct uefi_name *name,
	const struct guid *vendor)
{
	char canonical[FILE_NAME_SIZE], guid[GUID_TEXT_LENGTH + 1];
	struct variable_key key;
	int r;

	if (rules_is_hidden(vendor))
		return 0;
	r = key_from_name(&key, name, vendor);
	if (r >= 0)
		r = key_format(&key, canonical);
	if (r < 0) {
		guid_format(vendor, guid);
		log_limited(LOG_LEVEL_WARN,
			"a variable of %s, name of %zu characters, is not shown: %s", guid,
			name->count, r == -ENAMETOOLONG ? "the name is too long for a file"
							: "no file can have such a name");
		return 0;
	}
	pthread_mutex_lock(&e->lock);
	r = take_name(e, listing, &key, canonical);
	pthread_mutex_unlock(&e->lock);
	return r;
}

/* The list is not whole. */
static void cut_list(struct efivars *e, const char *why)
{
	atomic_store_explicit(&e->is_list_cut, true, memory_order_relaxed);
	notes_refuse(&e->notes, "the list of variables is incomplete: %s", why);
}

/* Walks all names. 0; what stopped the first question; -ENOMEM. */
static int walk(struct efivars *e, struct listing *listing)
{
	struct uefi_name name = {.count = 0};
	struct guid vendor = {{0}};
	size_t names = 0;

	atomic_store_explicit(&e->is_list_cut, false, memory_order_relaxed);
	for (;; names++) {
		enum uefi_status status;
		int r;

		status = e->services->ops->get_next(e->services, &name, &vendor);
		if (status == UEFI_NOT_FOUND)
			return 0;
		if (status != UEFI_SUCCESS && names == 0)
			return status == UEFI_UNSUPPORTED ? -EOPNOTSUPP : -EIO;
		if (status != UEFI_SUCCESS) {
			cut_list(e, uefi_status_name(status));
			return 0;
		}
		if (name.count == 0) {
			/* To go on from it would be to begin again. */
			cut_list(e, "a variable has no name");
			return 0;
		}
		r = take_found(e, listing, &name, &vendor);
		if (r == -ENOSPC || names >= NAMES_MAX) {
			cut_list(e, "there are too many");
			return 0;
		}
		if (r < 0)
			return r;
		if (listing->repeated > listing->seen) {
			cut_list(e, "it repeats itself");
			return 0;
		}
	}
}

int listing_read(struct efivars *e)
{
	struct listing listing = {0};

	if (!(e->supported & UEFI_HAS_GET_NEXT))
		return -EOPNOTSUPP;
	return walk(e, &listing);
}

/* Takes away what a whole new list no longer has. Under the lock. */
static void remove_unseen(struct efivars *e)
{
	/* From the end: a removal moves only what lies behind it. */
	for (size_t i = e->nodes.count; i > 0; i--) {
		struct node *node = e->nodes.listed[i - 1];

		if (node->state == NODE_STORED && !node->is_seen)
			nodes_remove(&e->nodes, node);
	}
}

void listing_forget_contents(struct efivars *e)
{
	pthread_mutex_lock(&e->lock);
	for (size_t i = 0; i < e->nodes.count; i++) {
		e->nodes.listed[i]->is_seen = false;
		if (e->nodes.listed[i]->state == NODE_STORED)
			node_forget_content(e->nodes.listed[i]);
	}
	pthread_mutex_unlock(&e->lock);
}

/* Reads a whole new list. True when there is reason to do it once more. */
static bool read_again(struct efivars *e)
{
	struct listing listing = {0};
	int r;

	listing_forget_contents(e);
	notes_clear_duplicates(&e->notes);
	r = walk(e, &listing);
	if (r < 0)
		cut_list(e, r == -ENOMEM ? "out of memory" : "the services cannot list");
	/* What was not named by a cut list may be there still. */
	if (atomic_load_explicit(&e->is_list_cut, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&e->lock);
	remove_unseen(e);
	pthread_mutex_unlock(&e->lock);
	return listing.has_waiting;
}

void listing_refresh(struct efivars *e)
{
	if (e->is_exclusive || !e->services->ops->has_changed(e->services))
		return;
	if (read_again(e))
		(void)read_again(e); /* by now the places of those that are gone are free */
}

int listing_find_missing(struct efivars *e, const struct variable_key *key)
{
	CLEAN(content_unref) struct content *content = NULL;
	char canonical[FILE_NAME_SIZE];
	enum uefi_status status;
	struct node *node;
	bool is_listed;
	int r;

	if (!atomic_load_explicit(&e->is_list_cut, memory_order_relaxed) ||
		rules_is_hidden(&key->vendor))
		return 0;
	r = key_format(key, canonical);
	if (r < 0)
		return 0; /* no such file: the look-up says so */
	pthread_mutex_lock(&e->lock);
	is_listed = nodes_find(&e->nodes, canonical);
	pthread_mutex_unlock(&e->lock);
	if (is_listed)
		return 0;
	status = variable_get(e, key, &content);
	if (status == UEFI_NOT_FOUND)
		return 0;
	if (status != UEFI_SUCCESS)
		return variable_refused(e, canonical, "cannot be looked up", status) ? -EIO : 0;
	pthread_mutex_lock(&e->lock);
	r = efivars_add_node(e, key, NULL, DEFAULT_MODE, &node);
	if (r == 0) {
		node->state = NODE_STORED;
		node_set_content(node, content, e->is_exclusive);
	}
	pthread_mutex_unlock(&e->lock);
	return r < 0 ? -EIO : 0;
}
