package ast

import (
	"fmt"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
)

// Over is a call over a window: of a window function, or of an aggregate. Its ValTuple is the call, followed
// by the expressions of the window that is written there.
type Over struct {
	sqlparser.ValTuple
	Window *Window
	// Scope are the named windows of the SELECT.
	Scope *Windows
}

// Call is the call before OVER.
func (o *Over) Call() sqlparser.Expr { return o.ValTuple[0] }

// Format prints the call and the window. A named window has the number of its SELECT in a comment: the same
// name can mean several.
func (o *Over) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("%v over ", o.Call())
	if o.Window.Plain {
		buf.WriteString(quoted(o.Window.Base))
	} else {
		o.Window.format(buf)
	}
	if o.Window.Base != "" {
		fmt.Fprintf(buf, " /* windows %d */", o.Scope.Number)
	}
}

// Windows are what a WINDOW clause defines.
type Windows struct {
	Number int // of the SELECT
	Named  []*Window
}

// Window is the text of a window after OVER or in WINDOW.
type Window struct {
	// Name is the name of a definition in WINDOW. Base is the window that this one extends or, with Plain,
	// is. Both may be empty.
	Name, Base string
	Plain      bool // OVER name, without parentheses
	Partition  []sqlparser.Expr
	Order      sqlparser.OrderBy
	Frame      *Frame // nil if none is written
}

// Frame is ROWS or RANGE with its bounds.
type Frame struct {
	Range      bool
	Start, End Bound
}

// Bound is one end of a frame.
type Bound struct {
	Kind clause.BoundKind
	// N is the distance of a Preceding or Following bound, an INTERVAL if Unit is not empty.
	N    sqlparser.Expr
	Unit string
}

// Parts are the expressions of a window, in the order of the text.
func (w *Window) Parts() []sqlparser.Expr {
	out := append([]sqlparser.Expr(nil), w.Partition...)
	for _, o := range w.Order {
		out = append(out, o.Expr)
	}
	if w.Frame != nil {
		for _, b := range []*Bound{&w.Frame.Start, &w.Frame.End} {
			if b.N != nil {
				out = append(out, b.N)
			}
		}
	}
	return out
}

func (w *Window) format(buf *sqlparser.TrackedBuffer) {
	space := ""
	word := func(text string) {
		buf.WriteString(space + text)
		space = " "
	}
	buf.WriteString("(")
	if w.Base != "" {
		word(quoted(w.Base))
	}
	for i, e := range w.Partition {
		word([]string{"partition by", ","}[min(i, 1)])
		buf.Myprintf(" %v", e)
	}
	for i, o := range w.Order {
		word([]string{"order by", ","}[min(i, 1)])
		buf.Myprintf(" %v %s", o.Expr, o.Direction)
	}
	if f := w.Frame; f != nil {
		word(map[bool]string{true: "range", false: "rows"}[f.Range] + " between")
		f.Start.format(buf)
		word("and")
		f.End.format(buf)
	}
	buf.WriteString(")")
}

func (b *Bound) format(buf *sqlparser.TrackedBuffer) {
	switch {
	case b.Unit != "":
		buf.Myprintf(" interval %v %s", b.N, b.Unit)
	case b.N != nil:
		buf.Myprintf(" %v", b.N)
	}
	buf.WriteString(" " + b.Kind.String())
}
