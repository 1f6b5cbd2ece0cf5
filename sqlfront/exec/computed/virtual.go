package computed

import (
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Virtual reads a catalog table.
type Virtual struct {
	Database, Name, Alias string
	Table                 VirtualRows
	// First is the frame's column that holds the table's first one.
	First int
	Where expr.Node // nil for all rows
}

// VirtualRows gives the rows of a catalog table. It is immutable.
type VirtualRows interface {
	// Rows gives the table's rows. It may leave out rows in which a column
	// differs from what equal demands of it, and need not.
	Rows(c *op.Context, equal []Equal) (RowSource, error)
}

// Equal says that only rows matter in which the column has this value, by
// MySQL's comparison.
type Equal struct {
	Column int // index among the table's columns
	Value  value.Value
}

// RowSource gives rows one after the other.
type RowSource interface {
	// Next is the next row, valid until the next call; io.EOF behind the last.
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
		equal, err := s.equal()
		if err != nil {
			return nil, err
		}
		if s.rows, err = s.Table.Rows(s.x.Context, equal); err != nil {
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

// equal are the columns that the condition sets equal to constants.
func (s *virtualScan) equal() ([]Equal, error) {
	var out []Equal
	for _, n := range expr.Conjuncts(s.Where) {
		for _, side := range expr.Equated(n) {
			column, ok := side[0].(*expr.Column)
			if !ok || !expr.IsConst(side[1]) {
				continue
			}
			v, err := side[1].Eval(&s.x.Env)
			if err != nil {
				return nil, err
			}
			out = append(out, Equal{Column: column.Index - s.First, Value: v})
		}
	}
	return out, nil
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
