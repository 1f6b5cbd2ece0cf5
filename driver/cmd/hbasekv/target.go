package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// target is a table or a table group whose cells are loaded or exported.
type target struct {
	name   string // as it was given: perhaps with its database before a point
	group  bool
	tables []string // a group's, or the one; with the database where the name has it
	// families are the tables' families, parallel to tables: empty for a table in
	// no group.
	families []string
}

// querier is a *sql.DB, a *sql.Conn or a *sql.Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// findTarget asks the store what a name is. A view and a name that is missing are
// errors.
func findTarget(ctx context.Context, db querier, name string) (*target, error) {
	database, own, qualified := strings.Cut(name, ".")
	from, prefix := " FROM "+quoteName(database), database+"."
	if !qualified {
		own, from, prefix = name, "", ""
	}
	to := &target{name: name}
	err := eachRow(ctx, db, "SHOW TABLEGROUPS"+from, func(field []sql.NullString) {
		group, table := field[0].String, field[1].String
		switch {
		case strings.EqualFold(group, own):
			to.group = true
			if field[1].Valid {
				to.add(prefix+table, familyOf(group, table))
			}
		case strings.EqualFold(table, own):
			to.add(name, familyOf(group, table))
		}
	})
	if err != nil || to.group || len(to.tables) > 0 {
		return to, err
	}
	to.add(name, "")
	return to, to.checkColumns(ctx, db)
}

func (to *target) add(table, family string) {
	to.tables, to.families = append(to.tables, table), append(to.families, family)
}

// familyOf is what a table's name has behind that of its group and a $ or, in
// TDSQL's form, an underscore.
func familyOf(group, table string) string { return table[min(len(group)+1, len(table)):] }

// checkColumns refuses what has no cells.
func (to *target) checkColumns(ctx context.Context, db querier) error {
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+quoteName(to.name)+" LIMIT 0")
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err == nil && !strings.HasPrefix(strings.ToUpper(strings.Join(names, ",")+","), "K,Q,T,V,") {
		err = fmt.Errorf("%s is a view, of which the rows are no cells", to.name)
	}
	return err
}

// index is the table of a family among tables. The family of a single table may
// be left out.
func (to *target) index(family string) (int, error) {
	for i, f := range to.families {
		if f == family || family == "" && !to.group {
			return i, nil
		}
	}
	switch {
	case to.group && family == "":
		return 0, fmt.Errorf("the cell has no family, and %s is a table group: load into one of its tables", to.name)
	case to.group:
		return 0, fmt.Errorf("the table group %s has no family %s: create the table %s, or load with --create",
			to.name, family, cellio.TableOf(to.name, family))
	}
	return 0, fmt.Errorf("the cell is of the family %s, and %s is a table of %s: load into a table group",
		family, to.name, describeFamily(to.families[0]))
}

func describeFamily(family string) string {
	if family == "" {
		return "none"
	}
	return "the family " + family
}

// eachRow calls f with the fields of each row of a result.
func eachRow(ctx context.Context, db querier, query string, f func(fields []sql.NullString)) error {
	rows, err := db.QueryContext(ctx, query)
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
		f(fields)
	}
	return rows.Err()
}
