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

// createFamilies makes the tables that cells need which have none: one that
// takes all that HBase does for each family, or the table itself where the cells
// have none. It reads all of the file.
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

// makeMissing makes a table, unless it is there, and remembers that.
func (c *Command) makeMissing(ctx context.Context, db *sql.DB, table string) error {
	made, err := makeTable(ctx, db, table)
	if made {
		c.made = append(c.made, table)
	}
	return err
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
