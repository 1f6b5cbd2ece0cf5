package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
)

// maxNesting bounds parentheses, subqueries, NOTs and signs inside each other,
// so that no statement exhausts the stack.
const maxNesting = 200

// parser reads the tokens of one statement from left to right. A method that
// finds an error panics with a failure, which run turns into the error.
type parser struct {
	sql   string
	toks  []token
	whys  []string // of bad tokens
	pos   int
	depth int
	res   *Parsed
	query queryState
	// view is the CREATE VIEW whose SELECT is being read, or nil.
	view   *CreateView
	meter  steps.Meter
	recode func(text []byte, introduced bool) []byte
	// versions are the comments that MySQL executes.
	versions []span
}

// failure carries an error out of the parser.
type failure struct{ err error }

// run calls f and returns the error that f failed with. A panic of any other
// kind, which would be a mistake in this package, is an error too: no text may
// end the process.
func (p *parser) run(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			err = mysqlerr.New(mysqlerr.Internal, "Internal error while parsing near position %d: %v", p.cur().start+1, r)
		}
	}()
	f()
	return nil
}

func (p *parser) fail(err *mysql.MySQLError) { panic(failure{err}) }

// failAt is 1064 at the byte offset.
func (p *parser) failAt(offset int, expected string) {
	p.fail(syntaxError(p.sql, offset, expected))
}

// expected is 1064 at the current token.
func (p *parser) expected(what string) {
	t := p.cur()
	if t.kind == tokBad && p.whys[t.n] != "" {
		what = p.whys[t.n]
	}
	p.failAt(t.start, what)
}

// unsupported is 1235 at the byte offset.
func (p *parser) unsupported(offset int, construct string) {
	p.fail(mysqlerr.UnsupportedAt(construct, offset))
}

// unsupportedInstead is unsupported with what to write instead.
func (p *parser) unsupportedInstead(construct string, offset int, instead string) {
	err := mysqlerr.UnsupportedAt(construct, offset)
	err.Message += ": write " + instead
	p.fail(err)
}

func (p *parser) nest() {
	p.depth++
	if p.depth > maxNesting {
		p.tooDeep(p.cur().start)
	}
}

func (p *parser) unnest() { p.depth-- }

func (p *parser) tooDeep(offset int) {
	p.failAt(offset, fmt.Sprintf("at most %d levels of nesting", maxNesting))
}

func (p *parser) cur() *token { return &p.toks[p.pos] }

// peek is the token n places ahead; the last token repeats.
func (p *parser) peek(n int) *token { return &p.toks[min(p.pos+n, len(p.toks)-1)] }

func (p *parser) text(t *token) string { return p.sql[t.start:t.end] }

// advance passes the current token and returns it.
func (p *parser) advance() *token {
	t := p.cur()
	if t.kind != tokEOF {
		p.pos++
	}
	if err := p.meter.Step(tokenUnits); err != nil {
		panic(failure{err})
	}
	return t
}

// prevEnd is the end of the token before the current one.
func (p *parser) prevEnd() int {
	if p.pos == 0 {
		return 0
	}
	return p.toks[p.pos-1].end
}

// source is the text from a token's start to the end of the last token that
// was passed, as a copy of its own.
func (p *parser) source(start int) string {
	return p.sql[start:max(start, p.prevEnd())]
}

// isWord is true where t is one of the keywords, which are in upper case.
func (p *parser) isWord(t *token, keywords ...string) bool {
	if t.kind != tokWord {
		return false
	}
	text := p.text(t)
	for _, k := range keywords {
		if wordIs(text, k) {
			return true
		}
	}
	return false
}

func (p *parser) isOp(t *token, op string) bool {
	return t.kind == tokOp && p.text(t) == op
}

// at is true where the next tokens are these keywords.
func (p *parser) at(keywords ...string) bool {
	for i, k := range keywords {
		if !p.isWord(p.peek(i), k) {
			return false
		}
	}
	return true
}

// atPhrase is at for keywords in one text, with a space between them.
func (p *parser) atPhrase(phrase string) bool {
	for i := 0; phrase != ""; i++ {
		var word string
		word, phrase, _ = strings.Cut(phrase, " ")
		if !p.isWord(p.peek(i), word) {
			return false
		}
	}
	return true
}

// acceptPhrase passes the phrase where it comes next.
func (p *parser) acceptPhrase(phrase string) bool {
	if !p.atPhrase(phrase) {
		return false
	}
	p.pos += 1 + strings.Count(phrase, " ")
	return true
}

// atAny is true where the next token is one of these keywords.
func (p *parser) atAny(keywords ...string) bool { return p.isWord(p.cur(), keywords...) }

func (p *parser) atOp(op string) bool { return p.isOp(p.cur(), op) }

// accept passes the keywords where they come next, all of them.
func (p *parser) accept(keywords ...string) bool {
	if !p.at(keywords...) {
		return false
	}
	p.pos += len(keywords)
	return true
}

// acceptAny passes one of the keywords and returns it, or "".
func (p *parser) acceptAny(keywords ...string) string {
	for _, k := range keywords {
		if p.accept(k) {
			return k
		}
	}
	return ""
}

func (p *parser) acceptOp(op string) bool {
	if !p.atOp(op) {
		return false
	}
	p.pos++
	return true
}

// expect passes the keywords or fails at the first that is missing.
func (p *parser) expect(keywords ...string) {
	for _, k := range keywords {
		if !p.accept(k) {
			p.expected(k)
		}
	}
}

func (p *parser) expectOp(op string) {
	if !p.acceptOp(op) {
		p.expected(op)
	}
}

// expectAny passes one of the keywords and returns it.
func (p *parser) expectAny(keywords ...string) string {
	k := p.acceptAny(keywords...)
	if k == "" {
		p.expected(strings.Join(keywords, " or "))
	}
	return k
}

// atName is true at a name: quoted, or a word that is not reserved.
func (p *parser) atName() bool { return p.isName(p.cur()) }

func (p *parser) isName(t *token) bool {
	switch t.kind {
	case tokQuoted:
		return true
	case tokWord:
		return !isReserved(p.text(t)) && p.sql[t.start] != '\\'
	}
	return false
}

// name passes a name.
func (p *parser) name(what string) string {
	if !p.atName() {
		p.expected(what)
	}
	return p.nameOf(p.advance())
}

// anyName passes a name that may be a reserved word, as behind a dot.
func (p *parser) anyName(what string) string {
	if k := p.cur().kind; k != tokWord && k != tokQuoted {
		p.expected(what)
	}
	return p.nameOf(p.advance())
}

func (p *parser) nameOf(t *token) string {
	if t.kind == tokQuoted {
		return unquoteName(p.text(t))
	}
	return p.text(t)
}

// databaseName passes the name of a database where no DEFAULT can stand but that
// of the database that a store has at first.
func (p *parser) databaseName() string {
	if p.at("DEFAULT") {
		return p.nameOf(p.advance())
	}
	return p.newName("the name of a database")
}

// maxNameLength is MySQL's, in characters.
const maxNameLength = 64

// newName passes a name that a statement declares.
func (p *parser) newName(what string) string {
	t := p.cur()
	return p.checkLength(p.name(what), t)
}

func (p *parser) checkLength(name string, t *token) string {
	if len(name) > maxNameLength && len([]rune(name)) > maxNameLength {
		p.fail(mysqlerr.New(mysqlerr.TooLongIdent, "Identifier name '%.100s' is too long (at position %d)", name, t.start+1))
	}
	return name
}

// tableName passes name or database.name.
func (p *parser) tableName() TableName {
	n := TableName{Offset: p.cur().start}
	first := p.cur()
	n.Name = p.checkLength(p.name("the name of a table"), first)
	if p.acceptOp(".") {
		t := p.cur()
		n.Database, n.Name = n.Name, p.checkLength(p.anyName("the name of a table"), t)
	}
	return n
}

// list calls item, and again behind each comma.
func (p *parser) list(item func()) {
	item()
	for p.acceptOp(",") {
		item()
	}
}

// parenthesized is list inside parentheses.
func (p *parser) parenthesized(item func()) {
	p.expectOp("(")
	p.list(item)
	p.expectOp(")")
}

func (p *parser) tableNames() []TableName {
	var names []TableName
	p.list(func() { names = append(names, p.tableName()) })
	return names
}

func (p *parser) names(what string) []string {
	var names []string
	p.list(func() { names = append(names, p.name(what)) })
	return names
}

// atString is true at a string literal.
func (p *parser) atString() bool {
	k := p.cur().kind
	return k == tokString || k == tokIntro
}

// stringValue passes a string literal, adjacent pieces included.
func (p *parser) stringValue(what string) string {
	if !p.atString() {
		p.expected(what)
	}
	return string(p.literal().Bytes)
}

// literal passes a string, hex or bit literal with the strings beside it.
func (p *parser) literal() *Literal {
	t := p.advance()
	lit := decodeLiteral(p.sql, t)
	for t.kind != tokHex && t.kind != tokBit && p.cur().kind == tokString {
		lit.Bytes = append(lit.Bytes, decodeLiteral(p.sql, p.advance()).Bytes...)
	}
	lit.Bytes = slices.Clip(lit.Bytes)
	return &lit
}

// recoded is literal as an expression has it: in the bytes that the client's string is. A
// view keeps the text, which is UTF-8.
func (p *parser) recoded() *Literal {
	first := *p.cur()
	lit := p.literal()
	if p.recode != nil && p.view == nil && first.isText(p.sql) {
		lit.Bytes = p.recode(lit.Bytes, first.kind == tokIntro)
	}
	return lit
}

// reads notes how the literal of a slot is read.
func (p *parser) reads(slot int, as Reading) {
	for len(p.res.Readings) <= slot {
		p.res.Readings = append(p.res.Readings, ReadPlain)
	}
	p.res.Readings[slot] = as
}

// wordOrString passes a name, a reserved word or a string, as option values
// are written.
func (p *parser) wordOrString(what string) string {
	if p.atString() {
		return p.stringValue(what)
	}
	return p.anyName(what)
}

// end fails where anything but an optional semicolon is left.
func (p *parser) end() {
	p.acceptOp(";")
	if p.cur().kind != tokEOF {
		p.expected("the end of the statement")
	}
}

// addParam notes a placeholder.
func (p *parser) param() int {
	n := p.advance().n
	p.res.NumParams = max(p.res.NumParams, n+1)
	return n
}
