/* SPDX-License-Identifier: MIT */
/*
 * vars_list.c — `tacit vars list`: a table of the records, in the store's order.
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "tacit/program.h"
#include "tacit/vars.h"

enum column { COLUMN_NAME, COLUMN_GUID, COLUMN_ATTRIBUTES, COLUMN_SIZE, COLUMN_STATE, COLUMN_TIME };
#define COLUMNS 6

static const char *const titles[COLUMNS] = {"NAME", "GUID", "ATTRIBUTES", "SIZE", "STATE", "TIME"};

struct table {
	bool is_long;
	bool has_state; /* the column is shown */
	int widths[COLUMNS];
};

struct row {
	struct buffer cells[COLUMNS];
};

/* The next record that is to be shown: 1, or 0 at the end. */
static int next_record(struct store *store, bool is_all, uint64_t *cursor, struct store_record *ret)
{
	int r;

	do {
		r = store->format->next_record(store, cursor, ret);
	} while (r > 0 && !is_all && !ret->is_live);
	return r;
}

static void row_fill(struct row *row, const struct table *table, const struct store_record *record)
{
	const struct nv_variable *v = &record->variable;
	const char *known = table->is_long ? NULL : uefi_guid_name(&v->vendor);
	char guid[GUID_TEXT_LENGTH + 1];

	for (size_t i = 0; i < COLUMNS; i++)
		row->cells[i].size = 0;
	guid_format(&v->vendor, guid);
	vars_name_show(&v->name, &row->cells[COLUMN_NAME]);
	buffer_string(&row->cells[COLUMN_GUID], known ? known : guid);
	uefi_attributes_format(v->attributes, &row->cells[COLUMN_ATTRIBUTES]);
	buffer_printf(&row->cells[COLUMN_SIZE], "%zu", v->size);
	buffer_string(&row->cells[COLUMN_STATE], record->state_name);
	uefi_time_format(&v->time, &row->cells[COLUMN_TIME]);
}

static void row_fini(struct row *row)
{
	for (size_t i = 0; i < COLUMNS; i++)
		buffer_fini(&row->cells[i]);
}

/* Characters, as near as it matters to columns. */
static int text_width(const struct buffer *cell)
{
	int width = 0;

	for (size_t i = 0; i < cell->size; i++)
		width += (cell->data[i] & 0xc0) != 0x80;
	return width;
}

static bool has_column(const struct table *table, size_t column)
{
	if (column == COLUMN_STATE)
		return table->has_state;
	return column != COLUMN_TIME || table->is_long;
}

static void measure(struct table *table, struct store *store, bool is_all, struct row *row)
{
	struct store_record record;
	uint64_t cursor = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		table->widths[i] = (int)strlen(titles[i]);
	while (next_record(store, is_all, &cursor, &record) > 0) {
		row_fill(row, table, &record);
		for (size_t i = 0; i < COLUMNS; i++) {
			int width = text_width(&row->cells[i]);

			if (width > table->widths[i])
				table->widths[i] = width;
		}
	}
}

static void print_row(const struct table *table, const struct row *row, struct buffer *out)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		size_t pad = (size_t)(table->widths[i] - text_width(&row->cells[i]));

		if (!has_column(table, i))
			continue;
		if (i == COLUMN_SIZE)
			buffer_fill(out, ' ', pad);
		buffer_append(out, row->cells[i].data, row->cells[i].size);
		if (i != COLUMN_SIZE)
			buffer_fill(out, ' ', pad);
		buffer_string(out, "  ");
	}
	while (out->size > 0 && !buffer_error(out) && out->data[out->size - 1] == ' ')
		out->size--;
	buffer_u8(out, '\n');
}

static void list_table(const struct vars_call *call, struct store *store, struct buffer *out)
{
	bool is_all = vars_option(call, "all");
	struct table table = {
		.is_long = vars_option(call, "long"),
		.has_state = is_all || vars_option(call, "long"),
	};
	struct row row = {0};
	struct store_record record;
	uint64_t cursor = 0;

	measure(&table, store, is_all, &row);
	for (size_t i = 0; i < COLUMNS; i++) {
		row.cells[i].size = 0;
		buffer_string(&row.cells[i], titles[i]);
	}
	print_row(&table, &row, out);
	while (next_record(store, is_all, &cursor, &record) > 0) {
		row_fill(&row, &table, &record);
		print_row(&table, &row, out);
	}
	row_fini(&row);
}

static void list_json(const struct vars_call *call, struct store *store, struct buffer *out)
{
	struct json j = json_to(out);
	struct store_record record;
	uint64_t cursor = 0;

	json_array(&j);
	while (next_record(store, vars_option(call, "all"), &cursor, &record) > 0) {
		json_object(&j);
		vars_json_variable(&j, &record.variable, record.state_name);
		json_end(&j);
	}
	json_end(&j);
}

int vars_list(const struct vars_call *call)
{
	CLEAN(store_free) struct store *store = NULL;
	CLEAN_BUFFER struct buffer out = BUFFER_INIT;

	if (vars_open_store(call, false, &store) < 0)
		return 1;
	if (vars_option(call, "json"))
		list_json(call, store, &out);
	else
		list_table(call, store, &out);
	return vars_print(&out);
}
