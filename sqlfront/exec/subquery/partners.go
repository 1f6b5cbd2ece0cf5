package subquery

import (
	"cmp"
	"slices"
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/exec/correlated"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// A subquery that has conditions besides equalities, or sorts or limits its rows, runs for each
// outer row. If each run would read many cells, all rows that any run may need are read once, into
// an index by the columns that equal something of the outer row, for the duration of the statement.
// A run then reads the partners of its outer row from the index, and is otherwise the same.

// Partnered is a subquery over the partners of the outer row.
type Partnered struct {
	Query *query.Query // reads Partners
	Slots []int        // those of the subquery
	*Partners
}

// Partners describes the index: the rows, their keys, and the conditions on those with the outer
// row's key.
type Partners struct {
	// All returns the rows for all outer rows: their keys, followed by the kept columns.
	All *query.Query
	// Own are the keys of the outer row, Columns the frame's columns for what is kept.
	Own     []expr.Node
	Columns []int
	// Sure are keys that are equal, whatever their kinds, in rows that meet the condition.
	Sure []bool
	// Residual is the condition on partners besides equal keys; Conditions includes these. Residual
	// reads the values Given of the outer row instead of expressions in Conditions that may warn or
	// fail.
	Residual, Conditions expr.Node
	Given                []correlated.Given
	// Looked says that a run may look up its rows by K; others read all, or for EXISTS up to a
	// partner.
	Looked bool
	// ByKey says that the subquery reads only its keys of the outer row.
	ByKey bool
}

// partnerRows are the rows of Partners in a statement.
type partnerRows struct {
	hashedRows
	keys    correlated.Keys
	results correlated.Results
	runs    sync.Pool // finished ones
}

// partnerKey is the key of an outer row.
type partnerKey struct {
	of     *partnerRows
	bytes  []byte
	equals bool // something may equal it
}

// read runs the subquery for an outer row, over its partners if all have been read.
func (p *Partnered) read(
	s *Subquery, env *expr.Env, run *op.Statement, atMost int64, fn func([]value.Value) (bool, error),
) error {
	k := s.partners
	if k == nil {
		k = op.Keep[partnerRows](run, p.Partners)
		if err := k.readWhenCheaper(p.All, run, func() error { return k.read(p.Partners, run) }); err != nil {
			return err
		}
	}
	if k.rows != nil {
		r := k.run()
		done, err := k.readPartners(r, s, env, run, atMost, fn)
		if k.runs.Put(r); done || err != nil {
			return err
		}
	}
	if s.partners != nil {
		run.Turn.Lock()
		defer run.Turn.Unlock()
	}
	return k.lookUp(run, func() error { return s.readEach(env, run, atMost, fn) })
}

// readPartners is read over partners that have been read. It returns false if the key of the outer
// row does not determine them.
func (k *partnerRows) readPartners(
	r *partnerRun, s *Subquery, env *expr.Env, run *op.Statement, atMost int64, fn func([]value.Value) (bool, error),
) (bool, error) {
	p := s.Partnered
	if err := s.start(&r.x, p.Query, p.Slots, env, run); err != nil {
		return false, err
	}
	r.key.of = k
	switch ok, err := k.find(p.Partners, r); {
	case !ok || err != nil:
		return false, err
	case p.ByKey && r.key.equals:
		return true, k.readOnce(p.Query, &r.x, atMost, fn)
	case p.looksForSome(s.Use):
		return true, r.readSome(p.Partners, fn)
	}
	return true, r.each(p, atMost, fn)
}

// fewResults is the number of rows of a key up to which they are kept, if all are read.
const fewResults = 16

// readOnce is each, but returns kept rows if the subquery has run for the same key before.
func (k *partnerRows) readOnce(q *query.Query, x *op.Frame, atMost int64, fn func([]value.Value) (bool, error)) error {
	rows, known, room := k.results.Of(around(x).bytes)
	if !known && (atMost > 0 || room) {
		var err error
		if rows, err = k.readFirst(q, x, atMost); err != nil {
			return err
		}
	}
	if rows == nil {
		return q.Each(x, atMost, fn)
	}
	for _, row := range rows {
		if more, err := fn(row); !more || err != nil {
			return err
		}
	}
	return nil
}

// readFirst reads the rows of a key, and keeps them unless they warn. It is nil if all of them are
// needed and there are many, or they warn or fail: each run then reads them as far as it needs.
func (k *partnerRows) readFirst(q *query.Query, x *op.Frame, atMost int64) ([][]value.Value, error) {
	key := string(around(x).bytes)
	rows, warnings, err := collect(q, x, cmp.Or(atMost, fewResults+1))
	if atMost == 0 && (err != nil || len(warnings) > 0 || len(rows) > fewResults) {
		rows, warnings, err = nil, nil, x.Context.Ctx.Err()
	}
	x.Tell(warnings)
	if err == nil && len(warnings) == 0 {
		k.results.Keep(key, rows)
	}
	return rows, err
}

// collect returns the first rows of the query, and their warnings.
func collect(q *query.Query, x *op.Frame, most int64) (rows [][]value.Value, warnings []op.Warning, err error) {
	rows = [][]value.Value{}
	warnings, err = x.Apart(func() error {
		return q.Each(x, most, func(row []value.Value) (bool, error) {
			rows = append(rows, op.CloneRow(row))
			return int64(len(rows)) < most, nil
		})
	})
	return rows, warnings, err
}

// read reads all rows.
func (k *partnerRows) read(p *Partners, run *op.Statement) (err error) {
	k.keys = correlated.NewKeys(p.Sure)
	k.rows, err = keepQuietly(run, func(rows *spill.Index) error { return query.ReadAllOf(run, p.All, k.keepIn(rows)) })
	k.idle = k.rows == nil
	return err
}

// keepIn returns a function that keeps rows by their keys, if these can be compared by their bytes.
func (k *partnerRows) keepIn(rows *spill.Index) func(row []value.Value) error {
	own, key := k.keys.Len(), []byte(nil)
	return func(row []value.Value) error {
		keys := row[:own]
		if slices.ContainsFunc(keys, value.Value.IsNull) {
			return nil
		}
		if !k.keys.Take(keys) {
			return errNoSet
		}
		key = value.AppendKeys(key[:0], keys)
		return rows.Add(key, row[own:])
	}
}

// find makes the outer row's key, and the values that it gives to the condition on partners. It
// returns false if the bytes of keys do not decide equality, or something warns.
func (k *partnerRows) find(p *Partners, r *partnerRun) (ok bool, err error) {
	x := &r.x
	if len(p.Given) == 0 && !slices.ContainsFunc(p.Own, mayfail.Computes) {
		return r.key.make(p.Own, &x.Env)
	}
	warnings, err := x.Apart(func() (err error) {
		if ok, err = r.key.make(p.Own, &x.Env); ok && err == nil {
			err = p.give(&x.Env)
		}
		return err
	})
	return ok && len(warnings) == 0 && err == nil, x.Context.Ctx.Err()
}

// give copies the outer row's values for the condition on partners into the frame.
func (p *Partners) give(env *expr.Env) error {
	for _, g := range p.Given {
		v, err := g.X.Eval(env)
		if err != nil {
			return err
		}
		env.Row[g.Slot] = v.Clone()
	}
	return nil
}

// make makes the key of the outer row in env, or returns false if it does not determine which rows
// equal it.
func (k *partnerKey) make(own []expr.Node, env *expr.Env) (ok bool, err error) {
	k.bytes, k.equals, ok, err = k.of.keys.AppendAll(k.bytes[:0], own, env)
	return ok, err
}

// partnerScan returns the partners of the current outer row. If they are in memory, several
// goroutines may search them concurrently.
type partnerScan struct {
	*Partners
	x    *op.Frame
	rows spill.Matches
}

// around returns the key of the outer row, for a run over its partners; otherwise nil.
func around(x *op.Frame) *partnerKey {
	key, _ := x.Around.(*partnerKey)
	return key
}

func (n *Partners) Open(x *op.Frame, _ op.Desired) (op.Operator, op.Provided, error) {
	s := &partnerScan{Partners: n, x: x}
	key := around(x)
	if key == nil || !key.equals {
		return s, op.Provided{}, nil
	}
	return s, op.Provided{}, s.rows.Seek(key.of.rows, key.bytes)
}

func (s *partnerScan) Env() *expr.Env { return &s.x.Env }

func (s *partnerScan) Next(int) (*kernel.Batch, error) {
	for {
		row, err := s.rows.Next()
		if row == nil || err != nil {
			return nil, err
		}
		if err := s.x.Tick(); err != nil {
			return nil, err
		}
		for i, c := range s.Columns {
			s.x.Env.Row[c] = row[i]
		}
		if ok, err := expr.Holds(s.Residual, &s.x.Env); ok || err != nil {
			return op.Single(ok, err)
		}
	}
}

func (s *partnerScan) Close() error { return nil }

func (s *partnerScan) Step() *explain.Step { return explain.NewStep("Partners of the outer row") }
