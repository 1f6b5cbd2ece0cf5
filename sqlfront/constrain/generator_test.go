package constrain_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// generator makes things from bytes; when they run out all choices are 0.
type generator struct {
	choices []byte
	params  []value.Value
	made    []cell // the rows, so that conditions find some
	// written says that keys are texts, digits and encoded numbers, and conditions are on functions of them.
	written bool
}

func (g *generator) n(n int) int {
	if len(g.choices) == 0 {
		return 0
	}
	c := int(g.choices[0])
	g.choices = g.choices[1:]
	return c % n
}

func pickOne[T any](g *generator, items ...T) T { return items[g.n(len(items))] }

// text is a short string of bytes that are neighbours or the least or greatest.
func (g *generator) text() string {
	if g.written {
		return g.writtenText()
	}
	return pickOne(g, "", "\x00", "a", "a\x00", "a\x00\x00", "ab", "abb", "a\xff", "a\xff\xff", "b", "ba", "\xff",
		"\xff\xff", "\xff\x00")
}

func (g *generator) time() int64 {
	return pickOne[int64](g, 0, 1, 2, 3, 5, -1, math.MinInt64, math.MinInt64+1, math.MaxInt64, math.MaxInt64-1, 1<<53,
		1<<53+1)
}

// cells are some rows; if timed is set, each has an absolute value of T.
func (g *generator) cells(families, timed bool) []cell {
	set := map[cell]bool{}
	for range 1 + g.n(24) {
		row, qualifier := g.text(), g.text()
		for range 1 + g.n(4) {
			c := cell{row: row, qualifier: qualifier, timestamp: g.time()}
			if families {
				c.family = g.n(3)
			}
			if timed && c.timestamp == math.MinInt64 {
				c.timestamp++
			}
			set[c] = true
		}
	}
	out := make([]cell, 0, len(set))
	for c := range set {
		out = append(out, c)
	}
	g.made = out
	slices.SortFunc(out, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.family, b.family),
			cmp.Compare(a.qualifier, b.qualifier), cmp.Compare(b.timestamp, a.timestamp))
	})
	return out
}

func (g *generator) view() testView {
	v := testView{newest: pickOne(g, 1, 0, 2)}
	v.AllVersions = v.newest == 0
	v.Opaque = g.n(8) == 0
	if g.n(3) == 0 {
		v.Time = kv.TimeRange{Min: g.time(), Max: g.time(), Bounded: true}
	}
	return v
}

// condition is a WHERE, nested up to depth.
func (g *generator) condition(cols constrain.Columns, depth int) expr.Node {
	if depth > 0 {
		switch g.n(5) {
		case 0, 1:
			return &expr.And{List: g.conditions(cols, depth-1)}
		case 2:
			return &expr.Or{List: g.conditions(cols, depth-1)}
		case 3:
			return &expr.Not{X: g.condition(cols, depth-1)}
		}
	}
	switch g.n(12) {
	case 0, 1:
		return g.in(cols)
	case 2:
		return &expr.Between{X: g.column(cols), Lo: g.operand(), Hi: g.operand(), Not: g.n(3) == 0}
	case 3:
		return g.like(cols)
	case 4:
		return g.tupleCompare()
	case 5:
		return g.tupleIn()
	case 6:
		return &expr.IsNull{X: g.column(cols), Not: g.n(2) == 0}
	case 7:
		if depth > 0 {
			return &expr.IsTruth{X: g.condition(cols, depth-1), Want: g.n(2) == 0, Not: g.n(2) == 0}
		}
	case 8:
		return g.operand()
	}
	return g.compare(cols)
}

func (g *generator) conditions(cols constrain.Columns, depth int) []expr.Node {
	list := make([]expr.Node, 2+g.n(2))
	for i := range list {
		list[i] = g.condition(cols, depth)
	}
	return list
}

func (g *generator) op() expr.CompareOp {
	return pickOne(g, expr.Eq, expr.Eq, expr.Eq, expr.Lt, expr.Le, expr.Gt, expr.Ge, expr.Ne, expr.NullSafeEq)
}

func (g *generator) compare(cols constrain.Columns) expr.Node {
	x := g.column(cols)
	c := &expr.Compare{Op: g.op(), L: x, R: g.matching(x)}
	if g.n(4) == 0 {
		c.L, c.R = c.R, c.L
	}
	return c
}

var (
	columnK = &expr.Column{Index: 0, Name: "K", T: value.Type{Kind: value.Bytes}}
	columnQ = &expr.Column{Index: 1, Name: "Q", T: value.Type{Kind: value.Bytes}}
	columnT = &expr.Column{Index: 2, Name: "T", T: value.Type{Kind: value.Int}}
	columnV = &expr.Column{Index: 3, Name: "V", T: value.Type{Kind: value.Bytes, Nullable: true}}
	columnP = &expr.Column{Index: 4, Name: "K_PREFIX", T: value.Type{Kind: value.Bytes, Nullable: true}}
	columnF = &expr.Column{Index: 5, Name: "F", T: value.Type{Kind: value.Bytes}}
	columnG = &expr.Column{Index: 6, Name: "G", T: value.Type{Kind: value.Int, Nullable: true}}
)

func (g *generator) column(cols constrain.Columns) expr.Node {
	x := pickOne[expr.Node](g, columnK, columnK, columnK, columnQ, columnQ, columnT, columnT, columnP, columnV, columnF)
	if cols.G >= 0 && (x == expr.Node(columnT) || x == expr.Node(columnV)) && g.n(2) == 0 {
		return columnG
	}
	if x == expr.Node(columnF) && cols.F < 0 {
		return columnK
	}
	if x == expr.Node(columnK) || x == expr.Node(columnQ) {
		if g.written {
			return g.function(x)
		}
		return g.prefixOf(x)
	}
	return x
}

// prefixOf is the column, or sometimes its first bytes.
func (g *generator) prefixOf(x expr.Node) expr.Node {
	one, length := &expr.Const{V: value.NewInt(1)}, &expr.Const{V: value.NewInt(int64(g.n(4)))}
	var call expr.Node
	switch g.n(12) {
	case 0:
		call, _ = bind.NewCall("LEFT", x, length)
	case 1:
		call, _ = bind.NewCall("SUBSTRING", x, one, length)
	case 2:
		return &expr.Cast{X: x, To: expr.ToBinary, Length: -1}
	}
	if call == nil {
		return x
	}
	return call
}

// matching is usually an operand of x's kind.
func (g *generator) matching(x expr.Node) expr.Node {
	switch {
	case g.written && x != expr.Node(columnT) && x != expr.Node(columnF) && g.n(6) > 0:
		return g.near(x)
	case g.n(8) == 0:
		return g.operand()
	case x == expr.Node(columnT):
		return g.constant(value.NewInt(g.time()))
	case x == expr.Node(columnF):
		return g.constant(value.NewString(pickOne(g, "f", "g", "x")))
	}
	return g.constant(value.NewBytes([]byte(g.text())))
}

// operand is a constant of any kind that can be compared with T or K.
func (g *generator) operand() expr.Node {
	switch g.n(9) {
	case 0:
		return g.constant(value.Value{})
	case 1:
		return g.constant(value.NewUint(pickOne[uint64](g, 0, 1, 5, math.MaxInt64, 1<<63, math.MaxUint64)))
	case 2:
		return g.constant(value.NewFloat(pickOne[float64](g, 0, 1.5, -0.5, 1<<53, 9.3e18, -9.3e18, 9223372036854775807)))
	case 3:
		return g.constant(value.NewDecimal(decimal.RequireFromString(pickOne(g, "1.5", "-0.5", "2.0",
			"9223372036854775807.5", "-9223372036854775808.5"))))
	case 4:
		return g.constant(value.NewString(pickOne(g, "1", "1.5", "2x", "", "9223372036854775807", "9007199254740993",
			"-1e30")))
	case 5:
		return g.constant(value.NewString(g.text()))
	case 6:
		return &expr.Const{V: value.NewBytes([]byte{0, 1}), Hex: true}
	case 7:
		return g.constant(value.NewInt(g.time()))
	}
	return g.constant(value.NewBytes([]byte(g.text())))
}

// constant is the value as a literal or as a placeholder.
func (g *generator) constant(v value.Value) expr.Node {
	if g.n(2) == 0 {
		return &expr.Const{V: v}
	}
	g.params = append(g.params, v)
	return &expr.Param{Index: len(g.params) - 1}
}

func (g *generator) in(cols constrain.Columns) expr.Node {
	in := &expr.In{X: g.column(cols), Not: g.n(3) == 0}
	for range 1 + g.n(4) {
		in.List = append(in.List, g.matching(in.X))
	}
	if g.written && g.n(16) == 15 {
		for range 150 {
			in.List = append(in.List, &expr.Const{V: value.NewString("of a long list")})
		}
	}
	return in
}

func (g *generator) like(cols constrain.Columns) expr.Node {
	x, start := g.column(cols), g.text()
	if g.written && g.n(3) > 0 {
		start = g.startOf(x)
	}
	like := &expr.Like{X: x, Not: g.n(3) == 0, Pattern: g.constant(g.stringOf(start +
		pickOne(g, "%", "%%", "", "_", "_%", "%b", "\\%", "\\", "|%", "\xff%")))}
	if g.n(4) == 0 {
		like.Escape = &expr.Const{V: value.NewString(pickOne(g, "|", "", "%", "_", "a"))}
	}
	return like
}

// tuple is columns in any order.
func (g *generator) tuple() *expr.Tuple {
	return pickOne(g,
		&expr.Tuple{Items: []expr.Node{columnK, columnQ}},
		&expr.Tuple{Items: []expr.Node{columnK, columnQ, columnT}},
		&expr.Tuple{Items: []expr.Node{columnQ, columnT}},
		&expr.Tuple{Items: []expr.Node{columnT, columnK}},
		&expr.Tuple{Items: []expr.Node{columnK, columnV}},
		&expr.Tuple{Items: []expr.Node{columnP, columnT}})
}

// values are constants for a tuple: those of one row, or any.
func (g *generator) values(x *expr.Tuple) *expr.Tuple {
	t := &expr.Tuple{}
	row := pickOne(g, g.made...).values()
	found := g.n(2) == 0
	for _, item := range x.Items {
		if found {
			t.Items = append(t.Items, g.constant(row[item.(*expr.Column).Index]))
		} else {
			t.Items = append(t.Items, g.matching(item))
		}
	}
	return t
}

func (g *generator) tupleCompare() expr.Node {
	x := g.tuple()
	c := &expr.Compare{Op: g.op(), L: x, R: g.values(x)}
	if g.n(4) == 0 {
		c.L, c.R = c.R, c.L
	}
	return c
}

func (g *generator) tupleIn() expr.Node {
	x := g.tuple()
	in := &expr.In{X: x, Not: g.n(3) == 0}
	for range 1 + g.n(4) {
		in.List = append(in.List, g.values(x))
	}
	return in
}
