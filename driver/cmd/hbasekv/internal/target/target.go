package target

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// Target is a table or a table group whose cells are loaded or exported.
type Target struct {
	Name   string // as given, perhaps with its database in front
	Group  bool
	Tables []string // a group's, or the one; with the database if the name has it
	// Families are the tables' families, parallel to Tables: empty for a table in
	// no group.
	Families []string
}

// Find looks a name up in the store. It fails for a view, for a missing name, and for a typed table,
// which it also returns, with its family as the only table.
func Find(ctx context.Context, db cli.Querier, name string) (*Target, error) {
	database, own, prefix := cli.SplitName(name)
	to := &Target{Name: name}
	err := cli.EachRow(ctx, db, func(field []sql.NullString) error {
		to.Group = to.Group || strings.EqualFold(field[0].String, own)
		to.Tables = append(to.Tables, prefix+field[2].String)
		to.Families = append(to.Families, field[1].String)
		return nil
	}, `SELECT TABLEGROUP_NAME, FAMILY_NAME, TABLE_NAME FROM information_schema.HBASEKV_FAMILIES
		WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND (TABLEGROUP_NAME = ? OR TABLE_NAME = ?) ORDER BY FAMILY_NAME`,
		database, own, own)
	if err != nil || len(to.Tables) > 0 && !to.Group {
		return to, err
	}
	if err = to.checkColumns(ctx, db); err == ErrView && len(to.Tables) > 0 {
		err = ErrTyped
	}
	return to, err
}

// checkColumns distinguishes a table group from what shows no cells.
func (to *Target) checkColumns(ctx context.Context, db cli.Querier) error {
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+cli.QuoteName(to.Name)+" LIMIT 0")
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if to.Group = slices.Equal(names, []string{"K", "F", "Q", "T", "V"}); !to.Group && err == nil {
		err = ErrView
	}
	return err
}

// ErrView and ErrTyped say why there are no cells under a name.
var (
	ErrView  = errors.New("a view has no cells")
	ErrTyped = errors.New("a typed table shows rows, not cells: its cells are in its family, the table whose name ends with $d")
)

// Index is the index of a family's table in Tables. The family of a single
// table may be omitted. It fails if there is no such family.
func (to *Target) Index(family string) (int, error) {
	for i, f := range to.Families {
		if f == family || family == "" && !to.Group {
			return i, nil
		}
	}
	switch {
	case to.Group && family == "":
		return 0, fmt.Errorf("the cell has no family, and %s is a table group: load into one of its tables", to.Name)
	case to.Group:
		return 0, fmt.Errorf("the table group %s has no family %s: create the table %s, or load with --create",
			to.Name, family, cellio.TableOf(to.Name, family))
	}
	return 0, fmt.Errorf("the cell is of the family %s, and %s is a table of %s: load into a table group",
		family, to.Name, describeFamily(to.Families[0]))
}

func describeFamily(family string) string {
	if family == "" {
		return "none"
	}
	return "the family " + family
}
