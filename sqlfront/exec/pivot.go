package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// classes divide the rows of batches by a column that aggregates compare with
// constants, each in a CASE of its own, as pivots do with the qualifier: an aggregate
// then sees the rows of its class alone, however many others there are.
type classes struct {
	c      *kernel.Compiler
	column *expr.Column // nil while there is no class
	kernel kernel.Kernel
	byName map[string]int32
	rows   [][]int32 // of each class, ascending

	// expected are the classes of the rows of the run before and what they are
	// called: rows of one shape follow each other.
	expected []expectedClass
}

type expectedClass struct {
	name  []byte
	class int32 // -1: none
}

func newClasses(c *kernel.Compiler) *classes {
	return &classes{c: c, byName: map[string]int32{}}
}

// pivot is the class of an aggregate over CASE WHEN column = constant THEN x END, or
// IF, and the kernel of x; nil where the aggregate is another one.
func (k *classes) pivot(a *expr.Aggregate) (class int, then kernel.Kernel) {
	if len(a.Args) != 1 || !a.TakesVectors() {
		return -1, nil
	}
	choice, ok := a.Args[0].(*expr.Case)
	if !ok || len(choice.Whens) != 1 || !isNull(choice.Else) {
		return -1, nil
	}
	column, name, ok := k.equated(choice)
	if !ok || k.column != nil && k.column.Index != column.Index {
		return -1, nil
	}
	x := k.c.Compile(choice.Whens[0].Then)
	if x == nil || x.Kind() != choice.T.Kind || x.Kind() != value.Int && x.Kind() != value.Bytes {
		return -1, nil
	}
	if a.OfNumbers() {
		x = kernel.Number(x)
	}
	return k.class(column, name), x
}

// isNull reports whether there is no expression, or it is NULL.
func isNull(n expr.Node) bool {
	c, ok := n.(*expr.Const)
	return n == nil || ok && c.V.IsNull()
}

// equated are the column and the string that the only condition of a CASE compares.
func (k *classes) equated(n *expr.Case) (*expr.Column, []byte, bool) {
	x, y := n.X, n.Whens[0].Cond
	if x == nil {
		compare, ok := y.(*expr.Compare)
		if !ok || compare.Op != expr.Eq {
			return nil, nil, false
		}
		x, y = compare.L, compare.R
	}
	if _, ok := y.(*expr.Column); ok {
		x, y = y, x
	}
	column, ok := x.(*expr.Column)
	if !ok || k.c.Compile(column).Kind() != value.Bytes {
		return nil, nil, false
	}
	v, ok := k.c.Constant(y)
	return column, v.Raw(), ok && v.IsString()
}

// class is that of a name, which is new or not.
func (k *classes) class(column *expr.Column, name []byte) int {
	if k.column == nil {
		k.column, k.kernel = column, k.c.Compile(column)
	}
	class, ok := k.byName[string(name)]
	if !ok {
		class = int32(len(k.rows))
		k.byName[string(name)] = class
		k.rows = append(k.rows, nil)
	}
	return int(class)
}

// find finds the rows of each class; run is the run of each row.
func (k *classes) find(b *kernel.Batch, run []int32) bool {
	if k.column == nil {
		return true
	}
	names, ok := k.kernel.Eval(b, b.Rows)
	if !ok {
		return false
	}
	for i := range k.rows {
		k.rows[i] = k.rows[i][:0]
	}
	at, last := 0, int32(-1)
	for _, i := range b.Rows {
		if run[i] != last {
			at, last = 0, run[i]
		}
		if class := k.classOf(names.Bytes[i], at); class >= 0 {
			k.rows[class] = append(k.rows[class], i)
		}
		at++
	}
	return true
}

// maxExpected bounds what is remembered of the last run.
const maxExpected = 1024

// classOf is the class of a name that is the at-th of its run, -1 for none.
func (k *classes) classOf(name []byte, at int) int32 {
	if name == nil {
		return -1
	}
	if at < len(k.expected) {
		if e := &k.expected[at]; string(e.name) == string(name) {
			return e.class
		}
	}
	class, ok := k.byName[string(name)]
	if !ok {
		class = -1
	}
	switch {
	case at < len(k.expected):
		e := &k.expected[at]
		e.name, e.class = append(e.name[:0], name...), class
	case at == len(k.expected) && at < maxExpected:
		k.expected = append(k.expected, expectedClass{append([]byte(nil), name...), class})
	}
	return class
}
