package load

import (
	"context"
	"database/sql"
	"errors"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// ageGuard checks the first timestamps that go to tables with a TTL. There,
// negative ones, as OceanBase's client for HBase stores them, belong to cells
// that expired long ago. (A table with MinVersions still keeps some.)
type ageGuard struct {
	ttl            []bool // by the index of the table
	seen, negative int
}

// ageSample is the number of timestamps that are checked.
const ageSample = 1000

var errNegative = errors.New("most timestamps are negative, and the table has a TTL: " +
	"all these cells would expire at once. " +
	"OceanBase's client for HBase stores timestamps negated: load with --negate-timestamps, " +
	"or without it if the file's timestamps are positive")

// newAgeGuard is the guard of tables, nil if all keep old cells.
func newAgeGuard(ctx context.Context, db cli.Querier, tables []string) (*ageGuard, error) {
	g := &ageGuard{ttl: make([]bool, len(tables))}
	found := false
	for i, table := range tables {
		database, own, _ := cli.SplitName(table)
		err := cli.EachRow(ctx, db, func([]sql.NullString) error {
			g.ttl[i], found = true, true
			return nil
		}, `SELECT TABLE_NAME FROM information_schema.HBASEKV_FAMILIES
			WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ? AND TTL IS NOT NULL AND MIN_VERSIONS = 0`,
			database, own)
		if err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, nil
	}
	return g, nil
}

// see counts the timestamps of cells, and judges after the sample.
func (g *ageGuard) see(cells []driver.Cell) error {
	if g == nil || g.seen >= ageSample {
		return nil
	}
	for i := range cells {
		if g.ttl[cells[i].Table] {
			g.seen++
			if cells[i].T < 0 {
				g.negative++
			}
		}
	}
	if g.seen < ageSample {
		return nil
	}
	return g.judge()
}

// check judges what has been seen so far, before it becomes visible.
func (g *ageGuard) check() error {
	if g == nil || g.seen >= ageSample {
		return nil
	}
	return g.judge()
}

func (g *ageGuard) judge() error {
	if 2*g.negative > g.seen {
		return errNegative
	}
	return nil
}
