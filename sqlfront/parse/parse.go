package parse

import (
	"sort"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Parse reads exactly one statement, which may end with a semicolon. Text that
// holds no statement is 1065, a second statement 1064.
func Parse(sql string) (*Parsed, error) {
	toks := lex(sql)
	parsed, err := parseTokens(sql, toks, false)
	if parsed == nil && err == nil {
		parsed, err = parseTokens(sql, toks, true)
	}
	return parsed, err
}

// parseTokens returns neither a statement nor an error where a second run, with
// trace, can say more.
func parseTokens(sql string, toks []token, trace bool) (parsed *Parsed, err error) {
	p := &parser{sql: sql, toks: toks, res: &Parsed{Text: sql}}
	if trace {
		p.out.token = &p.pos
	}
	again := false
	err = p.run(func() {
		defer func() {
			if r := recover(); r == (traced{}) {
				again = true
			} else if r != nil {
				panic(r)
			}
		}()
		p.acceptEmpty()
		p.res.Stmt = p.statement()
		p.end()
	})
	if err != nil || again {
		return nil, err
	}
	return p.res, nil
}

// acceptEmpty fails where there is no statement.
func (p *parser) acceptEmpty() {
	if t := p.cur(); t.kind == tokEOF || p.atOp(";") && p.peek(1).kind == tokEOF {
		p.fail(mysqlerr.New(mysqlerr.EmptyQuery, "Query was empty"))
	}
}

// Split cuts a script into its statements, without their semicolons and
// without the space and the comments around them. A comment that MySQL
// executes, /*! ... */, is part of a statement.
func Split(script string) ([]string, error) {
	l := newLexer(script)
	l.run()
	var pieces []string
	first := 0
	for i := range l.toks {
		t := &l.toks[i]
		if t.kind == tokBad && t.why != "" {
			return nil, mysqlerr.Syntax(script, t.start, t.why)
		}
		if !l.separates(t) {
			continue
		}
		if i > first {
			pieces = append(pieces, l.piece(&l.toks[first], &l.toks[i-1]))
		}
		first = i + 1
	}
	return pieces, nil
}

// separates is true at the end of a statement.
func (l *lexer) separates(t *token) bool {
	if t.kind == tokEOF {
		return true
	}
	return t.kind == tokOp && l.sql[t.start] == ';' && l.versionAt(t.start) == nil
}

// piece is the text from one token to another, with the whole of the executed
// comments that they are in.
func (l *lexer) piece(first, last *token) string {
	start, end := first.start, last.end
	if v := l.versionAt(first.start); v != nil {
		start = v.start
	}
	if v := l.versionAt(last.start); v != nil {
		end = v.end
	}
	return l.sql[start:end]
}

// versionAt is the executed comment around the position, or nil.
func (l *lexer) versionAt(pos int) *span {
	i := sort.Search(len(l.versions), func(i int) bool { return l.versions[i].end > pos })
	if i < len(l.versions) && l.versions[i].start <= pos {
		return &l.versions[i]
	}
	return nil
}
