package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// output is the statement in sqlparser's words. Text is appended; what turns
// out later to be needed further left, such as an opening parenthesis, is
// kept as an insertion.
type output struct {
	buf     []byte
	inserts []insertion
	// marks say which output came from which token; they are kept where token,
	// the number of the current one, is not nil.
	marks []mark
	token *int
}

type insertion struct {
	at   int
	text string
}

// mark says that the output from out on was written at the token.
type mark struct{ out, token int }

func (o *output) len() int { return len(o.buf) }

func (o *output) mark() {
	if o.token != nil {
		o.marks = append(o.marks, mark{len(o.buf), *o.token})
	}
}

// write appends words, with a space in front.
func (o *output) write(text string) {
	o.mark()
	o.buf = append(o.buf, ' ')
	o.buf = append(o.buf, text...)
}

// ident appends a quoted name: what is a keyword differs between MySQL and
// sqlparser, a quoted name is none in either.
func (o *output) ident(name string) {
	o.mark()
	o.buf = append(o.buf, ' ', '`')
	for i := range len(name) {
		if name[i] == '`' {
			o.buf = append(o.buf, '`')
		}
		o.buf = append(o.buf, name[i])
	}
	o.buf = append(o.buf, '`')
}

// bind appends a bind variable such as :v1.
func (o *output) bind(prefix string, n int) {
	o.mark()
	o.buf = append(o.buf, ' ')
	o.buf = append(o.buf, prefix...)
	o.buf = strconv.AppendInt(o.buf, int64(n), 10)
}

// insert puts text at an earlier position, in front of what was inserted there
// before.
func (o *output) insert(at int, text string) {
	o.inserts = append(o.inserts, insertion{at, text})
}

// wrap puts the output from start on into text and a closing parenthesis.
func (o *output) wrap(start int, text string) {
	o.insert(start, text)
	o.write(")")
}

// place is a position in the output, with the number of insertions made before
// it was reached.
type place struct{ at, inserts int }

func (o *output) here() place { return place{len(o.buf), len(o.inserts)} }

// swap exchanges the output from the place to b with that from b to the end.
func (o *output) swap(from place, b int) {
	a, c := from.at, len(o.buf)
	first := slices.Clone(o.buf[a:b])
	copy(o.buf[a:], o.buf[b:])
	copy(o.buf[c-len(first):], first)
	for i := from.inserts; i < len(o.inserts); i++ {
		switch at := &o.inserts[i].at; {
		case *at >= b:
			*at -= b - a
		case *at >= a:
			*at += c - b
		}
	}
}

// String is the whole text with its insertions.
func (o *output) String() string {
	if len(o.inserts) == 0 {
		return string(o.buf)
	}
	o.order()
	var b strings.Builder
	from := 0
	for _, in := range o.inserts {
		b.Write(o.buf[from:in.at])
		b.WriteByte(' ')
		b.WriteString(in.text)
		from = in.at
	}
	b.Write(o.buf[from:])
	return b.String()
}

// order sorts the insertions by place, later ones first: they are around the
// earlier ones.
func (o *output) order() {
	slices.Reverse(o.inserts)
	slices.SortStableFunc(o.inserts, func(a, b insertion) int { return a.at - b.at })
}

// tokenAt is the number of the token behind a position of String.
func (o *output) tokenAt(pos int) int {
	for _, in := range o.inserts {
		if in.at >= pos {
			break
		}
		pos -= len(in.text) + 1
	}
	token := 0
	for _, m := range o.marks {
		if m.out >= pos {
			break
		}
		token = m.token
	}
	return token
}

// tree has sqlparser read what was written.
func (p *parser) tree() sqlparser.Statement {
	text := p.out.String()
	stmt, err := p.trees.tree(text)
	switch {
	case err == nil:
		return stmt
	case strings.Contains(err.Error(), "max nesting level"):
		p.tooDeep(p.cur().start)
	case p.out.token == nil:
		panic(traced{})
	}
	p.failAt(p.toks[p.refusedAt(err)].start, "")
	return nil
}

// traced has the statement read a second time, noting what came from where, as
// sqlparser refused it. No text that this package accepts should bring it
// there.
type traced struct{}

// callSQLParser keeps a panic of the library from the caller.
func callSQLParser(text string) (stmt sqlparser.Statement, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("syntax error at position 1: %v", r)
		}
	}()
	return sqlparser.Parse(text)
}

// refusedAt is the number of the token where sqlparser found its error.
func (p *parser) refusedAt(err error) int {
	var at int
	_, rest, _ := strings.Cut(err.Error(), "position ")
	if _, scanErr := fmt.Sscanf(rest, "%d", &at); scanErr != nil {
		return 0
	}
	return p.out.tokenAt(at - 1)
}

// exprTree reads one expression with f and returns its tree.
func (p *parser) exprTree(f func()) sqlparser.Expr {
	outer := p.out
	p.out = output{token: outer.token}
	p.out.write("select")
	f()
	stmt := p.tree()
	p.out = outer
	sel, ok := stmt.(*sqlparser.Select)
	if !ok || len(sel.SelectExprs) != 1 {
		p.fail(mysqlerr.Syntax(p.sql, p.cur().start, "an expression"))
	}
	item, ok := sel.SelectExprs[0].(*sqlparser.AliasedExpr)
	if !ok {
		p.fail(mysqlerr.Syntax(p.sql, p.cur().start, "an expression"))
	}
	return item.Expr
}

// limitTree reads LIMIT and returns its tree.
func (p *parser) limitTree() *sqlparser.Limit {
	outer := p.out
	p.out = output{token: outer.token}
	p.out.write("select 1 from dual")
	p.limit(true)
	node := treeAs[*sqlparser.Select](p)
	p.out = outer
	return node.Limit
}
