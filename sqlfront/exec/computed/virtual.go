package computed

import (
	"io"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Virtual reads a catalog table.
type Virtual struct {
	Database, Name, Alias string
	Table                 VirtualRows
	// First is the frame's column for the table's first one.
	First int
	Where expr.Node // nil for all rows
	// Read says which of the table's columns are read.
	Read []bool
}

// VirtualRows gives the rows of a catalog table. It is immutable.
type VirtualRows interface {
	// Rows returns the table's rows. It may omit rows that are not wanted, and may leave columns that are
	// not read at any value.
	Rows(c *op.Context, w Wanted) (RowSource, error)
}

// Wanted says which rows and columns of a catalog table are needed. Columns are given by their indexes in
// the table.
type Wanted struct {
	// Row reports whether rows with this value in a column may be needed. It may be called until the last
	// row is read.
	Row func(column int, v value.Value) bool
	// Read reports whether a column is read.
	Read func(column int) bool
}

// RowSource gives rows one after the other.
type RowSource interface {
	// Next returns the next row, valid until the next call, and io.EOF after the last.
	Next() ([]value.Value, error)
	Close() error
}

type virtualScan struct {
	*Virtual
	x     *op.Frame
	rows  RowSource
	given int64
}

func (n *Virtual) Open(x *op.Frame, _ op.Desired) (op.Operator, op.Provided, error) {
	return &virtualScan{Virtual: n, x: x}, op.Provided{}, nil
}

func (s *virtualScan) Env() *expr.Env { return &s.x.Env }

func (s *virtualScan) Next(int) (*kernel.Batch, error) {
	if s.rows == nil {
		wanted, err := s.wanted()
		if err != nil {
			return nil, err
		}
		if s.rows, err = s.Table.Rows(s.x.Context, wanted); err != nil {
			return nil, err
		}
	}
	for {
		row, err := s.rows.Next()
		if err == io.EOF {
			return nil, nil
		}
		if err == nil {
			err = s.x.Tick()
		}
		if err != nil {
			return nil, err
		}
		copy(s.x.Env.Row[s.First:], row)
		if ok, err := expr.Holds(s.Where, &s.x.Env); ok || err != nil {
			s.given++
			return op.Single(ok, err)
		}
	}
}

// wanted returns what the condition requires of single columns.
func (s *virtualScan) wanted() (Wanted, error) {
	asked := map[int][]func(value.Value) bool{}
	for _, n := range expr.Conjuncts(s.Where) {
		column, holds, err := s.asked(n)
		if err != nil {
			return Wanted{}, err
		}
		if holds != nil {
			asked[column] = append(asked[column], holds)
		}
	}
	return Wanted{
		Row: func(column int, v value.Value) bool {
			return !slices.ContainsFunc(asked[column], func(holds func(value.Value) bool) bool { return !holds(v) })
		},
		Read: func(column int) bool { return s.Read[column] },
	}, nil
}

// asked returns the column to which a condition applies, and a test whether it may hold for a value. The
// test is nil if the condition is about several columns, or may warn or fail, so that the number of
// evaluations matters.
func (s *virtualScan) asked(n expr.Node) (int, func(value.Value) bool, error) {
	for _, side := range expr.Equated(n) {
		if column, ok := side[0].(*expr.Column); ok && expr.IsConst(side[1]) {
			to, err := side[1].Eval(&s.x.Env)
			return column.Index - s.First, func(v value.Value) bool {
				order, ok := value.Compare(v, to)
				return ok && order == 0
			}, err
		}
	}
	at, several := -1, false
	expr.Columns(n, func(c *expr.Column) {
		several = several || at >= 0 && at != c.Index
		at = c.Index
	})
	if at < 0 || several || mayfail.Condition(n) {
		return 0, nil, nil
	}
	return at - s.First, func(v value.Value) bool {
		s.x.Env.Row[at] = v
		ok, err := expr.Holds(n, &s.x.Env)
		return ok || err != nil
	}, nil
}

func (s *virtualScan) Close() error {
	if s.rows == nil {
		return nil
	}
	err := s.rows.Close()
	s.rows = nil
	return err
}

func (s *virtualScan) Step() *explain.Step {
	out := explain.NewStep("Read " + s.Database + "." + s.Name)
	if s.Where != nil {
		out.Add("filter", expr.Print(s.Where))
	}
	out.Table = &explain.Table{Table: s.Alias, Type: "ALL", Filtered: s.Where != nil, Rows: -1, Kept: 100 * cost.Guessed}
	out.Rows = s.given
	return out
}
