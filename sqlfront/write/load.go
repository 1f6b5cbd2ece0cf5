package write

import (
	"errors"
	"iter"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// Load checks the cells of a bulk load by the rules of INSERT.
type Load struct {
	tables []*kv.Table
	cells  iter.Seq2[kv.Cell, error]
	n      int // number of cells so far
	cell   kv.Cell
	over   bool // all cells have been read
}

// NewLoad returns a Load of cells, whose Family is the index of a table.
func NewLoad(tables []*kv.Table, cells iter.Seq2[kv.Cell, error]) *Load {
	return &Load{tables: tables, cells: cells}
}

// Cells iterates over the cells up to the first one that its table does not accept, for which it
// yields an error.
func (l *Load) Cells(yield func(kv.Cell, error) bool) {
	for c, err := range l.cells {
		l.n++
		l.cell = c
		if err == nil {
			err = l.check()
		}
		if !yield(c, err) || err != nil {
			return
		}
	}
	l.over = true
}

// check returns an error if the table does not accept the current cell.
func (l *Load) check() error {
	c := &l.cell
	if c.Family < 0 || c.Family >= len(l.tables) {
		return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to BULK LOAD: cell %d is for table %d of %d", l.n,
			c.Family, len(l.tables))
	}
	t := l.tables[c.Family]
	switch {
	case len(c.Row) > t.MaxRow:
		return change.DataTooLong(t, change.ColK, l.n)
	case len(c.Qualifier) > t.MaxQualifier:
		return change.DataTooLong(t, change.ColQ, l.n)
	case len(c.Value) > t.Value.Max:
		return change.DataTooLong(t, change.ColV, l.n)
	case c.Value == nil && !t.Value.Nullable:
		return change.CannotBeNull(t, change.ColV)
	}
	return change.NoMagnitude(t, c.Timestamp)
}

// Taken returns the number of cells that the store has read.
func (l *Load) Taken() int { return l.n }

// Error maps an error of the store that is about a cell to a MySQL error.
func (l *Load) Error(err error) error {
	switch c := &l.cell; {
	case l.n == 0 || l.over:
	case errors.Is(err, kv.ErrNoPartition):
		return change.NoPartition(l.tables[c.Family], &change.Version{K: c.Row, T: c.Timestamp})
	case errors.Is(err, kv.ErrTimestampExhausted):
		return change.OutOfRange(l.tables[c.Family], l.n)
	case errors.Is(err, kv.ErrLength):
		return change.CannotHold(l.n)
	}
	return err
}
