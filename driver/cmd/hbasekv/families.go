package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// createFamilies makes the tables that cells need which have none: one that
// takes all that HBase does for each family, or the table itself where the cells
// have none. It reads all of the file.
func createFamilies(ctx context.Context, db *sql.DB, name string, cells *inputCells) error {
	if slices.Contains(cells.in.paths, "-") {
		return fmt.Errorf("--create reads the file twice, which cannot be done with standard input: " +
			"create the tables first")
	}
	families, err := familiesOf(ctx, cells)
	if err != nil {
		return err
	}
	cells.in.read.Store(0)
	for _, family := range families {
		table := cellio.TableOf(name, family)
		if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+quoteName(table)+" (K varbinary(32767), "+
			"Q varbinary(32767), T bigint, V longblob, PRIMARY KEY (K, Q, T))"); err != nil {
			return err
		}
	}
	return nil
}

// familiesOf reads all cells. What is bad in them the load will say.
func familiesOf(ctx context.Context, cells *inputCells) (families []string, err error) {
	defer cells.Close()
	for {
		c, err := cells.Read()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == io.EOF:
			return families, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", cells.at(), err)
		}
		if !slices.Contains(families, c.Family) {
			families = append(families, strings.Clone(c.Family))
		}
	}
}
