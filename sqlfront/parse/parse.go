package parse

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
)

// Parse reads exactly one statement, which may end with a semicolon. Text that
// holds no statement is 1065, a second statement 1064.
func Parse(sql string) (*Parsed, error) { return ParseContext(context.Background(), sql) }

// ParseContext is Parse that ends with the context, with its error.
func ParseContext(ctx context.Context, sql string) (*Parsed, error) {
	t, err := Lex(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	return t.Parse(ctx)
}

// Parse reads the statement. It ends with the context, with its error.
func (t *Text) Parse(ctx context.Context) (*Parsed, error) {
	p := &parser{sql: t.lex.sql, toks: t.lex.toks, whys: t.lex.whys, versions: t.lex.versions,
		res:   &Parsed{Text: t.lex.sql, Tokens: len(t.lex.toks)},
		meter: steps.Meter{Ctx: ctx}, recode: t.Recode}
	err := p.run(func() {
		if p.atNothing() {
			p.res.Stmt = p.nothing()
			return
		}
		p.res.Stmt = p.statement()
		p.end()
	})
	if err != nil {
		return nil, err
	}
	return p.res, nil
}

// atNothing is true where no statement is left.
func (p *parser) atNothing() bool {
	return p.cur().kind == tokEOF || p.atOp(";") && p.peek(1).kind == tokEOF
}

// nothing is what a text without a statement stands for: to MySQL a comment alone is
// one that does nothing.
func (p *parser) nothing() Statement {
	if strings.Trim(p.sql, " \t\n\v\f\r;") == "" {
		p.fail(mysqlerr.New(mysqlerr.EmptyQuery, "Query was empty"))
	}
	return &Nothing{}
}

// Split is the texts of a script's Pieces.
func Split(script string) ([]string, error) {
	pieces, err := Pieces(script)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = p.Text
	}
	return texts, nil
}

// Piece is a statement of a script.
type Piece struct {
	Text   string
	Offset int // in the script, in bytes
	// Open says that the script ends with it, and no semicolon does: where the script was
	// cut off, it is a part of a statement.
	Open bool
}

// Pieces cuts a script into its statements, without their semicolons and
// without the space and the comments around them. A comment that MySQL
// executes, /*! ... */, is part of a statement.
func Pieces(script string) ([]Piece, error) {
	var pieces []Piece
	err := EachPiece(script, func(p Piece) error {
		if pieces = append(pieces, p); len(pieces) > maxTokens {
			return errTokens()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return pieces, nil
}

// EachPiece calls do with the Pieces of a script one after the other, up to the first error.
func EachPiece(script string, do func(Piece) error) error {
	l := newLexer(script)
	for more := true; more; {
		more = l.next()
		last := &l.toks[len(l.toks)-1]
		switch {
		case len(l.toks) > maxTokens:
			return errTokens()
		case last.kind == tokBad && l.whys[last.n] != "":
			return syntaxError(script, last.start, l.whys[last.n])
		case last.kind != tokEOF && !l.atSeparator(last):
			continue
		case len(l.toks) > 1:
			one := l.piece(&l.toks[0], &l.toks[len(l.toks)-2])
			one.Open = last.kind == tokEOF
			if err := do(one); err != nil {
				return err
			}
		}
		l.forget()
	}
	return nil
}

// atSeparator is true at a semicolon that ends a statement: one in an executed
// comment does not.
func (l *lexer) atSeparator(t *token) bool {
	return t.kind == tokOp && l.sql[t.start] == ';' && !l.inVersion
}

// forget drops what was read, so that a long script takes no more memory than
// its longest statement.
func (l *lexer) forget() {
	l.toks, l.whys, l.open, l.versions = l.toks[:0], l.whys[:0], l.open[:0], l.versions[:0]
}

// piece is the statement from one token to another, with the whole of the executed
// comments that they are in.
func (l *lexer) piece(first, last *token) Piece {
	start, end := first.start, last.end
	for _, v := range l.versions {
		if v.holds(first) {
			start = v.start
		}
		if v.holds(last) {
			end = v.end
		}
	}
	return Piece{Text: l.sql[start:end], Offset: start}
}

// holds reports whether a token is in an executed comment. An empty one is in the last of
// those before it, which does not end.
func (s span) holds(t *token) bool {
	return s.start <= t.start && (t.start < s.end || t.start == t.end)
}
