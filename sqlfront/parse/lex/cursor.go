package lex

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// MaxNesting bounds the nesting of parentheses, subqueries, NOTs and signs, so that no statement exhausts the
// stack.
const MaxNesting = 200

// Cursor reads the tokens of one statement from left to right; it is the part of a parser that does not
// depend on the grammar. A method that finds an error panics, and Run turns that into the error. Keywords are
// passed to its methods in upper case.
type Cursor struct {
	SQL    string
	Tokens []Token
	whys   []string // of bad tokens
	Pos    int
	Depth  int
	meter  cancelcheck.Meter
	// versions are the comments that MySQL executes.
	versions []span
}

// Cursor is a cursor at the first token of the text, which is valid until Release. Its methods also fail with
// the context's error.
func (t *Text) Cursor(ctx context.Context) Cursor {
	return Cursor{SQL: t.lex.sql, Tokens: t.lex.toks, whys: t.lex.whys, versions: t.lex.versions,
		meter: cancelcheck.Meter{Ctx: ctx}}
}

// failure carries an error out of the parser.
type failure struct{ err error }

// Run calls f and returns the error with which f failed. A panic of any other kind, which would be a bug in
// this package, becomes an error too: no text may end the process.
func (c *Cursor) Run(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			err = mysqlerr.New(mysqlerr.Internal, "Internal error while parsing near position %d: %v", c.Current().Start+1, r)
		}
	}()
	f()
	return nil
}

// Fail ends Run with the error.
func (c *Cursor) Fail(err *mysql.MySQLError) { panic(failure{err}) }

// FailAt fails with 1064 at the byte offset.
func (c *Cursor) FailAt(offset int, expected string) {
	c.Fail(syntaxError(c.SQL, offset, expected))
}

// Expected fails with 1064 at the current token.
func (c *Cursor) Expected(what string) {
	t := c.Current()
	if t.Kind == Bad && c.whys[t.N] != "" {
		what = c.whys[t.N]
	}
	c.FailAt(t.Start, what)
}

// Unsupported fails with 1235 at the byte offset.
func (c *Cursor) Unsupported(offset int, construct string) {
	c.Fail(mysqlerr.UnsupportedAt(construct, offset))
}

// UnsupportedInstead is Unsupported with a hint what to write instead.
func (c *Cursor) UnsupportedInstead(construct string, offset int, instead string) {
	err := mysqlerr.UnsupportedAt(construct, offset)
	err.Message += ": write " + instead
	c.Fail(err)
}

// Nest notes that what follows is one level deeper, until Unnest, and fails beyond MaxNesting.
func (c *Cursor) Nest() {
	c.Depth++
	if c.Depth > MaxNesting {
		c.TooDeep(c.Current().Start)
	}
}

// Unnest ends what Nest began.
func (c *Cursor) Unnest() { c.Depth-- }

// TooDeep fails with 1064 at the byte offset, for nesting beyond MaxNesting.
func (c *Cursor) TooDeep(offset int) {
	c.FailAt(offset, fmt.Sprintf("at most %d levels of nesting", MaxNesting))
}

// Current is the next token, which has not been read yet.
func (c *Cursor) Current() *Token { return &c.Tokens[c.Pos] }

// Peek is the token n places ahead; the last token repeats.
func (c *Cursor) Peek(n int) *Token { return &c.Tokens[min(c.Pos+n, len(c.Tokens)-1)] }

// Text is the token as written.
func (c *Cursor) Text(t *Token) string { return c.SQL[t.Start:t.End] }

// Advance reads the current token and returns it.
func (c *Cursor) Advance() *Token {
	t := c.Current()
	if t.Kind != EOF {
		c.Pos++
	}
	if err := c.meter.Step(tokenUnits); err != nil {
		panic(failure{err})
	}
	return t
}

// PrevEnd is the end of the token before the current one.
func (c *Cursor) PrevEnd() int {
	if c.Pos == 0 {
		return 0
	}
	return c.Tokens[c.Pos-1].End
}

// Source is a copy of the text from a token's start to the end of the last token that was read.
func (c *Cursor) Source(start int) string {
	return c.SQL[start:max(start, c.PrevEnd())]
}

// IsWord reports whether t is one of the keywords, which are in upper case.
func (c *Cursor) IsWord(t *Token, keywords ...string) bool {
	if t.Kind != Word {
		return false
	}
	text := c.Text(t)
	for _, k := range keywords {
		if wordIs(text, k) {
			return true
		}
	}
	return false
}

// IsOp reports whether t is this punctuation.
func (c *Cursor) IsOp(t *Token, op string) bool {
	return t.Kind == Op && c.Text(t) == op
}

// At reports whether the next tokens are these keywords.
func (c *Cursor) At(keywords ...string) bool {
	for i, k := range keywords {
		if !c.IsWord(c.Peek(i), k) {
			return false
		}
	}
	return true
}

// AtPhrase is At for keywords in one text, with a space between them.
func (c *Cursor) AtPhrase(phrase string) bool {
	for i := 0; phrase != ""; i++ {
		var word string
		word, phrase, _ = strings.Cut(phrase, " ")
		if !c.IsWord(c.Peek(i), word) {
			return false
		}
	}
	return true
}

// AcceptPhrase reads the phrase if it comes next.
func (c *Cursor) AcceptPhrase(phrase string) bool {
	if !c.AtPhrase(phrase) {
		return false
	}
	c.Pos += 1 + strings.Count(phrase, " ")
	return true
}

// AtAny reports whether the next token is one of these keywords.
func (c *Cursor) AtAny(keywords ...string) bool { return c.IsWord(c.Current(), keywords...) }

// AtOp reports whether the next token is this punctuation.
func (c *Cursor) AtOp(op string) bool { return c.IsOp(c.Current(), op) }

// Accept reads the keywords if all of them come next.
func (c *Cursor) Accept(keywords ...string) bool {
	if !c.At(keywords...) {
		return false
	}
	c.Pos += len(keywords)
	return true
}

// AcceptAny reads one of the keywords and returns it, or "".
func (c *Cursor) AcceptAny(keywords ...string) string {
	for _, k := range keywords {
		if c.Accept(k) {
			return k
		}
	}
	return ""
}

// AcceptOp reads the punctuation if it comes next.
func (c *Cursor) AcceptOp(op string) bool {
	if !c.AtOp(op) {
		return false
	}
	c.Pos++
	return true
}

// Expect reads the keywords or fails at the first that is missing.
func (c *Cursor) Expect(keywords ...string) {
	for _, k := range keywords {
		if !c.Accept(k) {
			c.Expected(k)
		}
	}
}

// ExpectOp reads the punctuation or fails.
func (c *Cursor) ExpectOp(op string) {
	if !c.AcceptOp(op) {
		c.Expected(op)
	}
}

// ExpectAny reads one of the keywords and returns it, or fails.
func (c *Cursor) ExpectAny(keywords ...string) string {
	k := c.AcceptAny(keywords...)
	if k == "" {
		c.Expected(strings.Join(keywords, " or "))
	}
	return k
}

// AtName reports whether the next token is a name: quoted, or a word that is not reserved.
func (c *Cursor) AtName() bool { return c.IsName(c.Current()) }

// IsName is AtName for a token.
func (c *Cursor) IsName(t *Token) bool {
	switch t.Kind {
	case Quoted:
		return true
	case Word:
		return !IsReserved(c.Text(t)) && c.SQL[t.Start] != '\\'
	}
	return false
}

// Name reads a name.
func (c *Cursor) Name(what string) string {
	if !c.AtName() {
		c.Expected(what)
	}
	return c.NameOf(c.Advance())
}

// AnyName reads a name that may be a reserved word, as after a dot.
func (c *Cursor) AnyName(what string) string {
	if k := c.Current().Kind; k != Word && k != Quoted {
		c.Expected(what)
	}
	return c.NameOf(c.Advance())
}

// NameOf is the name that a token has, without its quotes.
func (c *Cursor) NameOf(t *Token) string {
	if t.Kind == Quoted {
		return unquoteName(c.Text(t))
	}
	return c.Text(t)
}

// DatabaseName reads the name of a database. DEFAULT is the name of the database that a store initially has.
func (c *Cursor) DatabaseName() string {
	if c.At("DEFAULT") {
		return c.NameOf(c.Advance())
	}
	return c.NewName("the name of a database")
}

// maxNameLength is MySQL's, in characters.
const maxNameLength = 64

// NewName reads a name that a statement declares.
func (c *Cursor) NewName(what string) string {
	t := c.Current()
	return c.CheckLength(c.Name(what), t)
}

// CheckLength returns a token's name; it fails with 1059 if that exceeds MySQL's limit.
func (c *Cursor) CheckLength(name string, t *Token) string {
	if len(name) > maxNameLength && len([]rune(name)) > maxNameLength {
		c.Fail(mysqlerr.New(mysqlerr.TooLongIdent, "Identifier name '%.100s' is too long (at position %d)", name, t.Start+1))
	}
	return name
}

// List calls item, and again after each comma.
func (c *Cursor) List(item func()) {
	item()
	for c.AcceptOp(",") {
		item()
	}
}

// Parenthesized is List inside parentheses.
func (c *Cursor) Parenthesized(item func()) {
	c.ExpectOp("(")
	c.List(item)
	c.ExpectOp(")")
}

// Names is a list of Name.
func (c *Cursor) Names(what string) []string {
	var names []string
	c.List(func() { names = append(names, c.Name(what)) })
	return names
}

// AtString reports whether the next token is a string literal.
func (c *Cursor) AtString() bool {
	k := c.Current().Kind
	return k == String || k == Introduced
}

// StringValue reads a string literal, adjacent pieces included.
func (c *Cursor) StringValue(what string) string {
	if !c.AtString() {
		c.Expected(what)
	}
	return string(c.Literal().Bytes)
}

// Literal reads a string, hex or bit literal with adjacent strings.
func (c *Cursor) Literal() *ast.Literal {
	t := c.Advance()
	lit := t.Literal(c.SQL)
	for t.Kind != Hex && t.Kind != Bit && c.Current().Kind == String {
		lit.Bytes = append(lit.Bytes, c.Advance().Literal(c.SQL).Bytes...)
	}
	lit.Bytes = slices.Clip(lit.Bytes)
	return &lit
}

// WordOrString reads a name, a reserved word or a string, as option values are written.
func (c *Cursor) WordOrString(what string) string {
	if c.AtString() {
		return c.StringValue(what)
	}
	return c.AnyName(what)
}

// End fails if anything but an optional semicolon is left.
func (c *Cursor) End() {
	c.AcceptOp(";")
	if c.Current().Kind != EOF {
		c.Expected("the end of the statement")
	}
}

// Executed reports whether a token is in a comment that MySQL executes.
func (c *Cursor) Executed(t *Token) bool {
	return slices.ContainsFunc(c.versions, func(v span) bool { return v.holds(t) })
}

// UintValue reads an unsigned integer below 2^64. what names what is expected, as in all methods.
func (c *Cursor) UintValue(what string) uint64 {
	t := c.Current()
	if t.Kind != Int {
		c.Expected(what)
	}
	n, err := strconv.ParseUint(c.Text(t), 10, 64)
	if err != nil {
		c.Expected(what + " below 2^64")
	}
	c.Pos++
	return n
}

// IntValue reads an unsigned integer that fits an int32, as MySQL's counts and lengths do.
func (c *Cursor) IntValue(what string) int {
	t := c.Current()
	n := c.UintValue(what)
	if n > math.MaxUint32 {
		c.FailAt(t.Start, what+" below 2^32")
	}
	return int(n)
}

// HasComma reports whether the parentheses that open at token i contain a comma outside of inner ones.
func (c *Cursor) HasComma(i int) bool {
	for i++; i < len(c.Tokens) && c.Tokens[i].Kind != EOF; i++ {
		t := &c.Tokens[i]
		switch {
		case c.IsOp(t, ","):
			return true
		case c.IsOp(t, ")"):
			return false
		case c.IsOp(t, "(") && t.N > 0:
			i = t.N
		}
	}
	return false
}
