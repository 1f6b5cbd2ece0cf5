package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
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

// findTarget asks the store what a name is. A view and a name that is missing are
// errors.
func findTarget(ctx context.Context, db querier, name string) (*target, error) {
	database, own, prefix := splitName(name)
	to := &target{name: name}
	err := eachRow(ctx, db, func(field []sql.NullString) error {
		to.group = to.group || strings.EqualFold(field[0].String, own)
		to.tables = append(to.tables, prefix+field[2].String)
		to.families = append(to.families, field[1].String)
		return nil
	}, `SELECT TABLEGROUP_NAME, FAMILY_NAME, TABLE_NAME FROM information_schema.HBASEKV_FAMILIES
		WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND (TABLEGROUP_NAME = ? OR TABLE_NAME = ?) ORDER BY FAMILY_NAME`,
		database, own, own)
	if err == nil && len(to.tables) == 0 {
		err = to.checkColumns(ctx, db)
	}
	return to, err
}

// checkColumns tells a table group without tables from what has no cells.
func (to *target) checkColumns(ctx context.Context, db querier) error {
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+quoteName(to.name)+" LIMIT 0")
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if to.group = slices.Equal(names, []string{"K", "F", "Q", "T", "V"}); !to.group && err == nil {
		err = errView
	}
	return err
}

var errView = errors.New("a view has no cells")

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
