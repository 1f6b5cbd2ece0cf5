package correlated

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// aggregated is a subquery that returns aggregates of the partners, or an expression of them.
type aggregated struct {
	parts   []kernel.Part
	memory  aggregate.Memory
	states  []aggregate.Column
	grouped aggregate.GroupedRows
	value   kernel.Kernel
	results *kernel.Batch // the outer rows with the results
	own     []value.Vector
}

// newAggregated returns nil if an aggregate remembers its rows, or may warn.
func (l *loop) newAggregated() answer {
	a := &aggregated{}
	c := l.compiler(l.pairs.Out.Schema())
	schema := l.around.Schema()
	schema = schema[:len(schema):len(schema)]
	for _, agg := range l.Aggs {
		args, ok := c.Arguments(agg.Agg)
		if !ok || agg.Agg.Grows() || !agg.Agg.Quiet() {
			return nil
		}
		p := kernel.Part{Agg: agg.Agg, Args: args, Class: kernel.NoClass}
		schema = append(schema, kernel.Field{Index: agg.Slot, Kind: p.ResultKind()})
		a.parts = append(a.parts, p)
	}
	if a.value = l.compiler(schema).Compile(l.Value); a.value == nil {
		return nil
	}
	a.results, a.own = kernel.NewBatch(schema, nil), make([]value.Vector, len(a.parts))
	return a
}

func (a *aggregated) kind() value.Kind            { return a.value.Kind() }
func (a *aggregated) done(int32) bool             { return false }
func (a *aggregated) carried(int32) (int32, bool) { return 0, false }

func (a *aggregated) start(rows int) {
	a.states, a.memory = a.states[:0], aggregate.Memory{}
	for i := range a.parts {
		c := aggregate.NewColumn(a.parts[i].Agg, &a.memory)
		for range rows {
			c.Grow()
		}
		a.states = append(a.states, c)
	}
}

func (a *aggregated) take(l *loop) bool {
	b := l.pairs.Out
	a.grouped.Start(b.Rows)
	for _, pair := range b.Rows {
		a.grouped.Groups = append(a.grouped.Groups, l.of[pair])
	}
	for i := range a.parts {
		p := &a.parts[i]
		if p.Rows = b.Rows; !p.Eval(b) || a.states[i].AddVectors(&l.x.Env, p.Vectors, &a.grouped) != nil {
			return false
		}
	}
	return true
}

func (a *aggregated) finish(l *loop, out *value.Vector, rows []int32) bool {
	if !a.setResults(l.around, rows) {
		return false
	}
	v, ok := a.value.Eval(a.results, rows)
	if !ok {
		return false
	}
	return !slices.ContainsFunc(rows, func(i int32) bool { return !out.Set(i, v.At(i)) })
}

// setResults adds the results as columns to those of the outer rows.
func (a *aggregated) setResults(around *kernel.Batch, rows []int32) bool {
	b, width := a.results, len(around.Schema())
	b.Start(around.N)
	for at := range width {
		b.Pass(at, around, at)
	}
	for at := range a.own {
		v := &a.own[at]
		v.Start(b.Schema()[width+at].Kind, around.N)
		for row, i := range rows {
			result, err := a.states[at].Result(int32(row))
			if err != nil || !v.Set(i, result) {
				return false
			}
		}
		b.Share(width+at, v)
	}
	return true
}
