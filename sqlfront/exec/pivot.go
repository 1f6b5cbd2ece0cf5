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
	byCode []int32   // classes of names that have codes, plus 2: 0 is unknown
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

// find finds the rows of each class.
func (k *classes) find(b *kernel.Batch) bool {
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
	if names.Codes != nil {
		k.findByCodes(b, names)
		return true
	}
	for _, i := range b.Rows {
		k.add(k.classOf(names.Bytes[i]), i)
	}
	return true
}

// findByCodes is find where the column has codes.
func (k *classes) findByCodes(b *kernel.Batch, names *value.Vector) {
	k.byCode = append(k.byCode[:0], make([]int32, b.N)...)
	for _, i := range b.Rows {
		class := &k.byCode[names.Codes[i]]
		if *class == 0 {
			*class = k.classOf(names.Bytes[i]) + 2
		}
		k.add(*class-2, i)
	}
}

// classOf is the class of a name, -1 for none.
func (k *classes) classOf(name []byte) int32 {
	if class, ok := k.byName[string(name)]; ok && name != nil {
		return class
	}
	return -1
}

func (k *classes) add(class, row int32) {
	if class >= 0 {
		k.rows[class] = append(k.rows[class], row)
	}
}
