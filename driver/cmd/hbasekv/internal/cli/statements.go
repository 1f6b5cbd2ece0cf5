package cli

import (
	"context"
	"database/sql"
	"strings"
)

// QuoteName quotes table or database.table.
func QuoteName(name string) string {
	parts := strings.SplitN(name, ".", 2)
	for i, p := range parts {
		parts[i] = "`" + strings.ReplaceAll(p, "`", "``") + "`"
	}
	return strings.Join(parts, ".")
}

// SplitName returns the database of a name, NULL if there is none, the rest,
// and the prefix before the rest.
func SplitName(name string) (database sql.NullString, own, prefix string) {
	before, after, ok := strings.Cut(name, ".")
	if !ok {
		return database, name, ""
	}
	return sql.NullString{String: before, Valid: true}, after, before + "."
}

// QuoteString is a SQL string literal.
func QuoteString(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

// Querier is a *sql.DB, a *sql.Conn or a *sql.Tx.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// EachRow calls f with the fields of each row of a result, until an error.
func EachRow(ctx context.Context, db Querier, f func([]sql.NullString) error, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	fields, pointers := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range fields {
		pointers[i] = &fields[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		if err := f(fields); err != nil {
			return err
		}
	}
	return rows.Err()
}
