package ordering

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Key is one expression of an ORDER BY.
type Key struct {
	Expr expr.Node
	Desc bool
}

// Scan is the order in which a scan of the store gives rows: by its
// columns, all ascending but T, or exactly the reverse.
type Scan struct {
	// columns are the positions of K, F (of a table group), Q and T; only the first n are used.
	columns [4]int
	n       int
	// rowColumn is that of K, timeColumn that of T.
	rowColumn, timeColumn int
	// prefixes are the columns that hold the first bytes of K.
	prefixes []constrain.Prefix
	// fixed tells which columns have one value in the whole scan.
	fixed [4]bool
	// single is true if the view shows one version of each cell: T then depends on the other columns.
	single bool
	// oneFirst is true if all rows begin with the same byte: they are then in the order of the bytes after
	// it.
	oneFirst bool
}

// Of returns the order of any scan of a relation that has its keys in these columns.
func Of(c *constrain.Columns) Scan {
	o := Scan{columns: [4]int{c.K, c.Q, c.T}, n: 3, rowColumn: c.K, timeColumn: c.T, prefixes: c.Prefixes}
	if c.F >= 0 {
		o.columns, o.n = [4]int{c.K, c.F, c.Q, c.T}, 4
	}
	return o
}

// OfScan returns the order of a scan with known spans, of so many tables.
func OfScan(c *constrain.Columns, s *kv.Scan, tables int) Scan {
	o := Of(c)
	o.single = s.MaxVersions == 1
	o.oneFirst = len(s.Ranges) > 0 && oneFirstByte(s.Ranges)
	q, t := o.n-2, o.n-1
	if len(s.Ranges) == 1 {
		within := s.Ranges[0].Within()
		o.fixed[0], o.fixed[q] = within >= kv.DepthRow, within >= kv.DepthColumn
	}
	o.fixed[q] = o.fixed[q] || len(s.Qualifiers) == 1 && s.Qualifiers[0].IsSingle()
	o.fixed[t] = s.Time.Bounded && s.Time.Min == s.Time.Max
	if q == 2 {
		o.fixed[1] = tables == 1
	}
	return o
}

// Unique is how many of the first columns identify a row: trailing columns with only one value are left out.
func (o *Scan) Unique() int {
	n := o.n
	for n > 1 && (o.fixed[n-1] || o.single && o.columns[n-1] == o.timeColumn) {
		n--
	}
	return n
}

// Serves counts the leading keys in whose order the scan, or its reverse, gives rows. needed is false if any
// scan does because these keys are the same in all rows.
func (o *Scan) Serves(keys []Key) (leading int, needed, reverse bool) {
	w := orderWalk{Scan: o}
	for leading < len(keys) && w.step(keys[leading]) {
		leading++
	}
	return leading, w.directed, w.reverse
}

// HoldsRow reports whether one of the keys is K.
func (o *Scan) HoldsRow(keys []Key) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return o.isRowColumn(k.Expr) })
}

// orderWalk matches the keys of an ORDER BY against a scan's order, one by one.
type orderWalk struct {
	*Scan
	next     int // first column not yet matched
	parts    int // how many leading columns of the typed table's key have been matched in the row
	directed bool
	reverse  bool
}

func (w *orderWalk) step(k Key) bool {
	k.Expr = asBinary(k.Expr)
	w.skipFixed()
	if w.determined(k.Expr) {
		return true
	}
	column := w.columns[w.next]
	of, numbers := member.Column(k.Expr)
	if p, ok := of.(*typed.Part); ok && column == w.rowColumn && w.isRowColumn(p.X) {
		return w.stepPart(p, numbers, k.Desc)
	}
	c, isColumn := k.Expr.(*expr.Column)
	whole := isColumn && c.Index == column || column == w.rowColumn && w.oneFirst && w.isBehindFirst(k.Expr)
	if !whole && (column != w.rowColumn || !w.isPrefix(k.Expr)) {
		return false
	}
	desc := k.Desc != (column == w.timeColumn)
	if w.directed && desc != w.reverse {
		return false
	}
	w.directed, w.reverse = true, desc
	if whole {
		w.next++
	}
	return true
}

// stepPart matches a column of a typed table's key, or its numbers; the columns must be matched in the key's
// order.
func (w *orderWalk) stepPart(p *typed.Part, numbers, desc bool) bool {
	switch {
	case p.Part < w.parts:
		return true
	case p.Part > w.parts || !p.Sorts(numbers) || w.directed && desc != w.reverse:
		return false
	}
	w.directed, w.reverse = true, desc
	if w.parts++; w.parts == p.Table.KeyLen() {
		w.next++
	}
	return true
}

// asBinary removes casts to a binary string from expressions that are binary strings already.
func asBinary(n expr.Node) expr.Node {
	for {
		c, ok := n.(*expr.Cast)
		if !ok || c.To != expr.ToBinary || c.Length >= 0 || c.X.Type().Kind != value.Bytes {
			return n
		}
		n = c.X
	}
}

func (w *orderWalk) skipFixed() {
	for w.next < w.n && w.fixed[w.next] {
		w.next++
	}
}

// determined reports whether the expression has one value over rows that have equal values in the columns
// matched so far.
func (w *orderWalk) determined(n expr.Node) bool {
	last := w.n - 1
	if w.next > last || w.single && w.next == last {
		return !expr.IsVolatile(n)
	}
	return !expr.IsVolatile(n) && expr.OnlyColumns(n, w.knows)
}

// knows reports whether the columns matched so far determine the column's value.
func (w *orderWalk) knows(index int) bool {
	for i, c := range w.columns[:w.n] {
		if c == index && (i < w.next || w.fixed[i]) {
			return true
		}
	}
	return (w.next > 0 || w.fixed[0]) && w.holdsPrefix(index)
}

// Gathers reports whether rows with equal values of all the expressions are consecutive. withinRows says
// that this needs no order over partitions, because the cells of one row are always together.
func (o *Scan) Gathers(nodes []expr.Node) (ok, withinRows bool) {
	left := slices.Clone(nodes)
	w := orderWalk{Scan: o}
	for {
		w.skipFixed()
		left = slices.DeleteFunc(left, w.determined)
		if len(left) == 0 {
			return true, w.next > 0
		}
		if w.next >= w.n {
			return false, false
		}
		at := w.columns[w.next]
		isAt := func(n expr.Node) bool { c, ok := n.(*expr.Column); return ok && c.Index == at }
		if slices.ContainsFunc(left, isAt) {
			left = slices.DeleteFunc(left, isAt)
			w.next++
			continue
		}
		return at == o.rowColumn && len(slices.DeleteFunc(left, w.isPrefix)) == 0, false
	}
}

// holdsPrefix reports whether a column holds the first bytes of K.
func (o *Scan) holdsPrefix(index int) bool {
	return slices.ContainsFunc(o.prefixes, func(p constrain.Prefix) bool { return p.Index == index })
}

// isPrefix reports whether the expression is the first bytes of K, a constant number of them: it is then
// ordered as K is.
func (o *Scan) isPrefix(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Column:
		return o.holdsPrefix(n.Index)
	case *expr.Call:
		return o.IsPrefixCall(n) || o.oneFirst && o.isPrefixBehindFirst(n)
	}
	return false
}

// IsPrefixCall reports whether a call returns the first bytes of K, their number being a constant last
// argument.
func (o *Scan) IsPrefixCall(n *expr.Call) bool {
	if len(n.Args) == 0 {
		return false
	}
	if !o.isRowColumn(n.Args[0]) {
		return false
	}
	if strings.ToUpper(n.Name) == "LEFT" {
		return len(n.Args) == 2 && expr.IsConst(n.Args[1])
	}
	return isSubstring(n) && len(n.Args) == 3 && isInt(n.Args[1], 1) && expr.IsConst(n.Args[2])
}

func (o *Scan) isRowColumn(n expr.Node) bool {
	c, ok := n.(*expr.Column)
	return ok && c.Index == o.rowColumn
}

func isSubstring(n *expr.Call) bool {
	switch strings.ToUpper(n.Name) {
	case "SUBSTRING", "SUBSTR", "MID":
		return true
	}
	return false
}

// isBehindFirst reports whether the expression is all of K but its first byte.
func (o *Scan) isBehindFirst(n expr.Node) bool {
	c, ok := n.(*expr.Call)
	if !ok || len(c.Args) == 0 || !o.isRowColumn(c.Args[0]) {
		return false
	}
	return strings.ToUpper(c.Name) == "UNSALT" || isSubstring(c) && len(c.Args) == 2 && isInt(c.Args[1], 2)
}

// isPrefixBehindFirst reports whether the expression is a constant number of bytes of K, from the second on.
func (o *Scan) isPrefixBehindFirst(n expr.Node) bool {
	c, ok := n.(*expr.Call)
	return ok && isSubstring(c) && len(c.Args) == 3 && o.isRowColumn(c.Args[0]) && isInt(c.Args[1], 2) &&
		expr.IsConst(c.Args[2])
}

func isInt(n expr.Node, want int64) bool {
	c, ok := n.(*expr.Const)
	return ok && c.V.Kind() == value.Int && c.V.Int() == want
}
