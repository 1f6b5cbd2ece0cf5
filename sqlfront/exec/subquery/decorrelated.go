package subquery

import (
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// decorrelatedRows are the rows of a correlated subquery for all outer rows at once, hashed by the
// values that equal values of the outer rows: EXISTS is a semi join with them, a scalar subquery an
// outer join. They replace lookups once these have cost more than reading all rows would.
type decorrelatedRows struct {
	hashedRows
	// none are the rows for an outer row without matches: an aggregate without groups has one row.
	none    [][]value.Value
	several bool        // some key has several rows
	any     bool        // there are rows
	members *memberRows // of EXISTS: the keys, as long as they are few; nil if they are not needed
}

// hashedRows are the rows of a correlated subquery for all outer rows, by keys.
type hashedRows struct {
	rows    *spill.Index // nil until they are read
	idle    bool         // they must not be read
	lookups cost.Lookups // for outer rows
}

// inMemory reports whether they have been read, and several goroutines can search them.
func (k *hashedRows) inMemory() bool { return k.rows != nil && !k.rows.Spilled() }

// readWhenCheaper reads the rows of the query for all remaining outer rows, if that costs less than
// looking each up. It decides whenever the cost of the lookups has doubled.
func (k *hashedRows) readWhenCheaper(all *query.Query, run *op.Statement, read func() error) error {
	if k.rows != nil || k.idle || !k.lookups.Doubled(run.Context.Limits(), cost.SubqueryCells) {
		return nil
	}
	if sooner, err := keepsSooner(run, all, &k.lookups); !sooner || err != nil {
		return err
	}
	return read()
}

// lookUp calls read for one outer row, and counts the cells that this reads.
func (k *hashedRows) lookUp(run *op.Statement, read func() error) error {
	before := run.Context.Work.Cost()
	err := read()
	k.lookups.Made++
	k.lookups.Cells += run.Context.Work.Cost() - before
	return err
}

// mayDecorrelate reports whether the subquery may be answered from the rows for all outer rows.
func (s *Subquery) mayDecorrelate(run *op.Statement) bool {
	return s.Decorrelated != nil && run.ReadsOthers()
}

// ownKey returns the expressions over the outer row whose values are looked up.
func (s *Subquery) ownKey() []expr.Node {
	own := make([]expr.Node, len(s.DecorrelatedBy))
	for i, n := range s.DecorrelatedBy {
		own[i] = expr.Rewrite(n, func(n expr.Node) expr.Node {
			if c, ok := n.(*expr.Column); ok {
				return s.Outer[c.Index]
			}
			return n
		})
	}
	return own
}

// firstDecorrelated returns the subquery's first rows, by their key if all have been read.
func (s *Subquery) firstDecorrelated(env *expr.Env, run *op.Statement, atMost int64) (rows [][]value.Value, err error) {
	if !s.mayDecorrelate(run) {
		return s.firstRows(env, run, atMost)
	}
	k := op.Keep[decorrelatedRows](run, s.Decorrelated)
	read := func() error { return k.read(s, run, partition.RowRange{}) }
	if err = k.readWhenCheaper(s.Decorrelated, run, read); err != nil {
		return nil, err
	}
	if k.rows == nil {
		err = k.lookUp(run, func() error {
			rows, err = s.firstRows(env, run, atMost)
			return err
		})
		return rows, err
	}
	var buf [64]byte
	key, equals, err := op.AppendKeys(buf[:0], s.ownKey(), env)
	if !equals || err != nil {
		return k.none, err
	}
	if rows, err = k.find(key, atMost); len(rows) == 0 {
		return k.none, err
	}
	return rows, err
}

// queryReadsSooner reports whether all rows of a query can be read in the time of so many cells,
// and kept in memory.
func queryReadsSooner(run *op.Statement, q *query.Query, cells int64) (bool, error) {
	return sooner(run, q, func(e kv.Estimate) bool { return run.Context.Limits().ReadsSooner(e, cells) })
}

// keepsSooner reports whether all rows of a query can be read and kept, in memory or in files, in
// the time of the lookups so far, and be searched in that of the coming ones.
func keepsSooner(run *op.Statement, q *query.Query, l *cost.Lookups) (bool, error) {
	return sooner(run, q, func(e kv.Estimate) bool { return run.Context.Limits().KeepsSooner(e, l) })
}

func sooner(run *op.Statement, q *query.Query, tells func(e kv.Estimate) bool) (bool, error) {
	if run.Context.JoinRows > 0 {
		return true, nil
	}
	e, known, err := sizeOfQuery(run, q)
	return known && tells(e), err
}

// read reads all rows, or those whose K is in within.
func (k *decorrelatedRows) read(s *Subquery, run *op.Statement, within partition.RowRange) (err error) {
	k.rows, err = keepQuietly(run, func(rows *spill.Index) error {
		if err := k.readNone(s, run); err != nil {
			return err
		}
		return query.ReadWithin(run, s.Decorrelated, within, k.keepIn(rows, s))
	})
	if s.DecorrelatedUnsure && !k.any && k.rows != nil {
		err = cmp.Or(err, k.rows.Close())
		k.rows = nil
	}
	k.idle = k.rows == nil
	return err
}

// keepQuietly keeps the rows that a function adds. If there are warnings or errors, which lookups
// might not have caused, it reports none of them and keeps nothing.
func keepQuietly(run *op.Statement, add func(rows *spill.Index) error) (*spill.Index, error) {
	rows := run.Space.NewIndex()
	warnings, err := run.NewFrame(0).Apart(func() error { return add(rows) })
	if err = cmp.Or(err, rows.Seal()); err == nil && len(warnings) == 0 {
		return rows, nil
	}
	return nil, cmp.Or(run.Context.Ctx.Err(), rows.Close())
}

// readNone reads the rows for a key of NULL, which equals nothing.
func (k *decorrelatedRows) readNone(s *Subquery, run *op.Statement) error {
	nothing := *s
	nothing.Outer = make([]expr.Node, len(s.Outer))
	for i, n := range s.Outer {
		nothing.Outer[i] = &expr.Const{T: n.Type()}
	}
	env := &run.NewFrame(0).Env
	var err error
	k.none, err = nothing.firstRows(env, run, 2)
	return err
}

// keepIn returns a function that keeps rows by their keys.
func (k *decorrelatedRows) keepIn(rows *spill.Index, s *Subquery) func(row []value.Value) error {
	own, once := len(s.DecorrelatedBy), s.Use.Kind == expr.SubqueryExists
	var key []byte
	return func(row []value.Value) error {
		if slices.ContainsFunc(row[:own], value.Value.IsNull) {
			return nil
		}
		k.any = true
		if key = value.AppendKeys(key[:0], row[:own]); !rows.Spilled() && rows.Find(key).Len > 0 {
			if once {
				return nil
			}
			k.several = true
		}
		if k.members != nil && len(k.members.rows) <= maxKnown {
			k.members.add(row[:own])
		}
		return rows.Add(key, row[own:])
	}
}

// find returns the first rows with a key.
func (k *decorrelatedRows) find(key []byte, atMost int64) (rows [][]value.Value, err error) {
	var matches spill.Matches
	if err := matches.Seek(k.rows, key); err != nil {
		return nil, err
	}
	for int64(len(rows)) < atMost {
		row, err := matches.Next()
		if row == nil || err != nil {
			return rows, err
		}
		rows = append(rows, op.CloneRow(row))
	}
	return rows, nil
}

// decorrelated returns the subquery as a lookup in a hash table of its rows for all outer rows. It
// is nil if lookups in the store cost less, for about that many outer rows, or if the result could
// differ. Errors are those of reading the rows.
func (s *Subquery) decorrelated(x *op.Frame, rows int64, within partition.RowRange) (expr.Node, error) {
	k := op.Keep[decorrelatedRows](x.Stmt, s.Decorrelated)
	if k.rows == nil && !k.idle {
		sooner, err := s.readsSooner(x, rows, within)
		if err == nil && sooner {
			err = k.read(s, x.Stmt, within)
		}
		if err != nil {
			return nil, err
		}
	}
	if !k.inMemory() || k.several {
		return nil, nil
	}
	return &hashed{resolved: resolved{s}, own: s.ownKey(), rows: k.rows, answer: k.answerOf(s)}, nil
}

// readsSooner reports whether all rows can be read in the time of so many lookups. A lookup that is
// not by K reads everything; EXISTS reads up to the first row with the key, if there is one.
func (s *Subquery) readsSooner(x *op.Frame, lookups int64, within partition.RowRange) (sooner bool, err error) {
	src, err := ungrouped(s.Decorrelated, x.Stmt, within)
	if err != nil {
		return false, err
	}
	defer func() { err = cmp.Or(err, src.Close()) }()
	right := scan.Lowest(src)
	if right == nil || right.X.Context.Estimator == nil || right.Empty() || x.Context.JoinRows > 0 {
		return x.Context.JoinRows > 0, nil
	}
	known, _ := right.Judged()
	p := &s.Decorrelated.Body.(*query.Select).Projection
	keys := p.Nodes[:len(s.DecorrelatedBy)]
	_, plain := scan.Of(src)
	if plain = plain && right.Access.Gives(keys); !plain {
		keys = nil
	}
	e, err := right.Look(cost.LooksJoined, known, keys)
	if err != nil {
		return false, nil // an error costs only time
	}
	asks := cost.AsksOf{Looked: !plain || slices.Contains(p.Columns[:len(keys)], right.Access.Columns.K),
		Exists: s.Use.Kind == expr.SubqueryExists}
	return cost.SubqueryReadsSooner(e, asks, lookups), nil
}

// rowsLookedUp returns the range of K that the rows of a pipeline look up: if the key is K, the
// range that the pipeline itself reads, otherwise everything.
func (s *Subquery) rowsLookedUp(of op.Operator) (within partition.RowRange) {
	base := scan.Bottom(of)
	body := s.Decorrelated.Body.(*query.Select)
	n := body.Source
	if groups, ok := n.(*agg.Aggregate); ok {
		n = groups.Child
	}
	read, plain := n.(*scan.Access)
	if base == nil || !plain || expr.Reads(base.Access.Where, func(i int) bool { return !base.Access.Has(i) }) {
		return within // the next time they may be others
	}
	for i, own := range s.ownKey() {
		if op.IsAt(own, base.Access.Columns.K) && op.IsAt(body.Projection.Nodes[i], read.Columns.K) {
			return base.Hull()
		}
	}
	return within
}

// ungrouped opens the rows of the query before any grouping.
func ungrouped(q *query.Query, run *op.Statement, within partition.RowRange) (op.Operator, error) {
	n := q.Body.(*query.Select).Source
	if groups, ok := n.(*agg.Aggregate); ok {
		n = groups.Child
	}
	src, _, err := n.Open(run.NewFrame(q.Width), op.Desired{Within: within})
	return src, err
}

// answerOf returns the function that computes the subquery's value from the rows with the outer
// row's key.
func (k *decorrelatedRows) answerOf(s *Subquery) func(null bool, found spill.Found) value.Value {
	return func(_ bool, found spill.Found) value.Value {
		switch {
		case s.Use.Kind == expr.SubqueryExists:
			return value.NewBool(found.Len > 0)
		case found.Len > 0:
			return k.rows.Value(found.First, s.Column)
		case len(k.none) > 0:
			return k.none[0][s.Column]
		}
		return value.Value{}
	}
}
