package load

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// createFamilies creates the missing tables that cells need: one with HBase's
// maximum lengths for each family, or the table itself if the cells have none.
// It reads the whole file.
func (c *Command) createFamilies(ctx context.Context, db *sql.DB, name string, cells *inputCells) error {
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
		if err := c.makeMissing(ctx, db, cellio.TableOf(name, family)); err != nil {
			return err
		}
	}
	return nil
}

// makeMissing creates a table, unless it exists, and records that.
func (c *Command) makeMissing(ctx context.Context, db *sql.DB, table string) error {
	made, err := makeTable(ctx, db, table)
	if made {
		c.made = append(c.made, table)
	}
	return err
}

// familiesOf reads all cells. The load will report the bad ones.
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
