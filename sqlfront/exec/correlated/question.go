package correlated

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Question is a subquery over the partners of outer rows. Its expressions are over one frame, which
// has what is read of the outer row and of a partner.
type Question struct {
	Use expr.SubqueryUse
	// Slots are the columns of the frame that hold what is read of the outer row: the operands of
	// the subquery, of which Left, or NoColumn, is the left one.
	Slots []int
	Left  int
	// Own is the key of the outer row, Keys are those of the partners.
	Own  []expr.Node
	Keys *Keys
	// Rows are the partners of all outer rows, in memory; of each there are the Columns of the frame.
	Rows    *spill.Index
	Columns []int
	// Given are expressions over the outer row, whose values are read beside its columns. Rest is
	// the condition on a partner beside the equal keys; it may be nil.
	Given []Given
	Rest  expr.Node

	// Value is what the subquery gives for a partner, or for all partners where there are Aggs;
	// nil for EXISTS.
	Value expr.Node
	Aggs  []Agg
	// First says that one partner is enough: the first one by Order, or without an order the first
	// that came.
	First bool
	Order []Key
}

// NoColumn is in the place of a column of the frame that there is not.
const NoColumn = -1

// Given is an expression over the outer row, and the column of the frame for its value.
type Given struct {
	X    expr.Node
	Slot int
}

// Agg is an aggregate of the partners and the column of the frame for its result.
type Agg struct {
	Agg  *setfunc.Aggregate
	Slot int
}

// Key is a key of ORDER BY.
type Key struct {
	X    expr.Node
	Desc bool
}

// Loop answers the question of the rows whose operands are columns of some kinds, one goroutine's, in a
// frame of its own. It is nil where each row is to ask by itself. The next T of each of 200,000 cells with
// the same V takes 490 ms of processor time so, and 1,650 where each asks; COUNT 530 and 790, IN 710 and
// 950 (benchmark Correlated of conformance/peers, November 2026).
func (q *Question) Loop(x *op.Frame, operands []value.Kind) kernel.Loop {
	l := &loop{Question: q, x: x}
	if !l.compile(operands) {
		return nil
	}
	return l
}

// compile makes the kernels, or reports false where something is evaluated row by row.
func (l *loop) compile(operands []value.Kind) (ok bool) {
	var around kernel.Schema
	for i, slot := range l.Slots {
		around = append(around, kernel.Field{Index: slot, Kind: operands[i]})
	}
	if l.own, ok = l.compiler(around).CompileAll(l.Own); !ok {
		return false
	}
	given := l.compiler(around)
	for _, g := range l.Given {
		k := given.Compile(g.X)
		if k == nil {
			return false
		}
		l.given = append(l.given, k)
		around = append(around, kernel.Field{Index: g.Slot, Kind: k.Kind()})
	}
	l.around = kernel.NewBatch(around, nil)
	var partner kernel.Schema
	for at, column := range l.Columns {
		partner = append(partner, kernel.Field{Index: column, Kind: vectorKind(l.Rows.KindOf(at))})
	}
	if l.pairs = kernel.NewPairs(around, partner, partners{l.Rows}, l.Rest, &l.x.Env); l.pairs == nil {
		return false
	}
	l.answer = l.newAnswer()
	return l.answer != nil
}

func (l *loop) compiler(schema kernel.Schema) *kernel.Compiler {
	return &kernel.Compiler{Schema: schema, Env: &l.x.Env}
}

// vectorKind is the kind of a vector of values of which no more than their kind is known.
func vectorKind(k value.Kind) value.Kind {
	if k == value.Int || k == value.Bytes {
		return k
	}
	return value.Null
}

// partners implements kernel.RightRows.
type partners struct{ *spill.Index }

func (p partners) Column(at int, rows []int32, v *value.Vector) *value.Vector {
	v.Start(v.Kind, len(rows))
	p.Fill(v, at, rows)
	return v
}
