package query

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// A derived table that does not read the outer row has the same rows each time that it is opened
// for one: MySQL materializes it. Here the second run keeps its rows, if the first one has read
// them all.

// derivedRows are the rows of a derived table in a statement.
type derivedRows struct {
	read bool        // some run has read all rows
	idle bool        // they must not be kept: computing them warns or fails
	rows *spill.List // nil unless they are kept
}

// derivedRowsOf returns the rows of a derived table, or nil for one that may have others each time.
func derivedRowsOf(run *op.Statement, n *Derived) *derivedRows {
	if !n.Same || run.Explain || run.Context.LockRows {
		return nil
	}
	return op.Keep[derivedRows](run, n)
}

// keep keeps the rows if a run has read all of them, and reports whether they are kept. Rows with
// warnings or errors are not kept, because each run must report these.
func (k *derivedRows) keep(q *Query, run *op.Statement) (bool, error) {
	if k == nil || !k.read || k.idle || k.rows != nil {
		return k != nil && k.rows != nil, nil
	}
	rows := run.Space.NewList()
	warnings, err := run.NewFrame(0).Apart(func() error { return ReadAllOf(run, q, rows.Add) })
	if k.idle = err != nil || len(warnings) > 0; k.idle {
		return false, cmp.Or(run.Context.Ctx.Err(), rows.Close())
	}
	k.rows = rows
	return true, nil
}

// ended records that a run has read all rows, unless it failed.
func (k *derivedRows) ended(err error) {
	if k != nil && err == nil {
		k.read = true
	}
}

// scan reads the kept rows.
func (k *derivedRows) scan(n *Derived, x *op.Frame) (op.Operator, op.Provided, error) {
	return OpenList(&ListScan{X: x, Rows: k.rows, First: n.First, Columns: len(n.Query.Types), Told: func() *explain.Step {
		out := explain.NewStep(n.Title + ", kept")
		out.Table = &explain.Table{Table: n.Alias, Type: "ALL", Rows: -1}
		return out
	}})
}

// ListScan reads rows that a statement keeps, into the frame's columns from First on.
type ListScan struct {
	X              *op.Frame
	Rows           *spill.List // nil if nothing is run
	First, Columns int
	given          int64
	Told           func() *explain.Step
}

// OpenList goes to the first row.
func OpenList(s *ListScan) (op.Operator, op.Provided, error) {
	if s.Rows == nil {
		return s, op.Provided{}, nil
	}
	return s, op.Provided{}, s.Rows.Rewind()
}

func (s *ListScan) Env() *expr.Env { return &s.X.Env }

func (s *ListScan) Next(int) (*kernel.Batch, error) {
	if s.Rows == nil {
		return nil, nil
	}
	row, err := s.Rows.Next()
	if row == nil || err != nil {
		return nil, err
	}
	copy(s.X.Env.Row[s.First:s.First+s.Columns], row)
	s.given++
	return op.OneRow, nil
}

func (s *ListScan) Close() error {
	s.X.Context.Work.AddRows(s.given)
	return nil
}

func (s *ListScan) Step() *explain.Step {
	out := s.Told()
	out.Rows = s.given
	return out
}

// overRows are the rows of a lateral derived table for one row of the relations before it.
type overRows struct{ *ListScan }

// openOver reads the rows over the partners of the row before the table, once these are kept.
func (n *Derived) openOver(x *op.Frame) (op.Operator, op.Provided, error) {
	rows := x.Stmt.Space.NewList()
	err := n.Over.Read(&x.Env, x.Stmt, 0, func(row []value.Value) (bool, error) { return true, rows.Add(row) })
	if err = cmp.Or(err, rows.Rewind()); err != nil {
		return nil, op.Provided{}, cmp.Or(err, rows.Close())
	}
	return overRows{&ListScan{X: x, Rows: rows, First: n.First, Columns: len(n.Query.Types)}}, op.Provided{}, nil
}

func (r overRows) Close() error { return cmp.Or(r.ListScan.Close(), r.Rows.Close()) }
