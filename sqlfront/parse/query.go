package parse

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// queryState is what the readers of clauses need to know about the statement
// around them.
type queryState struct {
	// rowAlias and columnAliases are those of INSERT ... VALUES (...) AS new(a, b);
	// columns are the columns that the aliases stand for, in the same order.
	rowAlias      string
	columnAliases []string
	columns       []string
	// mayHint is true until the first SELECT of a statement whose rows come from
	// a SELECT; hints are those of that SELECT.
	mayHint  bool
	hints    Hints
	found    bool // SQL_CALC_FOUND_ROWS
	locks    bool // FOR UPDATE and its kin
	lockWait LockWait
	// mayInto is true in the outermost query of a SELECT; into are the variables
	// of its INTO.
	mayInto bool
	into    []string
	// common are the common table expressions in scope, the innermost and last
	// first.
	common *commonScope
	// stored are the offsets of the names of FROM that are no common table
	// expressions', subqueries aside.
	stored []int
	// height is that of the highest tree in the query being read.
	height int
}

// isQuery is true where the parenthesis at token i holds a query rather than an
// expression or a join.
func (p *parser) isQuery(i int) bool {
	for depth := 0; ; depth++ {
		t := &p.toks[i]
		if depth > maxNesting {
			p.tooDeep(t.start)
		}
		if !p.isOp(t, "(") {
			return depth > 0 && p.isWord(t, "SELECT", "WITH", "VALUES", "TABLE") && p.closesQuery(i-depth, i)
		}
		i++
	}
}

// closesQuery is true where each parenthesis in tokens [from, to), whose
// innermost holds a query, holds nothing but a query: ((SELECT 1) + 1) does not.
func (p *parser) closesQuery(from, to int) bool {
	word := &p.toks[to]
	if p.isWord(word, "VALUES") && !p.isWord(&p.toks[to+1], "ROW") {
		return false
	}
	for i := to - 1; i > from; i-- {
		if p.toks[i].n < 0 {
			return true
		}
		t := &p.toks[p.toks[i].n+1]
		if !p.isOp(t, ")") && !p.isWord(t, "UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "FOR", "LOCK") {
			return false
		}
	}
	return true
}

// subquery reads a query in parentheses.
func (p *parser) subquery() shape {
	p.nest()
	p.expectOp("(")
	p.out.write("(")
	may, around := p.query.mayInto, p.query.height
	p.query.mayInto, p.query.height = false, 0
	p.queryExpression()
	s := p.above(classValue, shape{height: p.query.height})
	p.query.mayInto, p.query.height = may, max(around, s.height)
	p.expectOp(")")
	p.out.write(")")
	p.unnest()
	return s
}

// tail says which clauses behind the SELECTs a query has already.
type tail struct{ ordered bool }

// queryExpression reads SELECTs joined by UNION, with the WITH in front and
// their ORDER BY, LIMIT and locks.
func (p *parser) queryExpression() tail {
	common, stored := p.query.common, p.query.stored
	defer func() { p.query.common, p.query.stored = common, stored }()
	if p.at("WITH") {
		p.withClause()
	}
	return p.queryBody()
}

// queryBody reads what may stand behind WITH. Parentheses around the whole are
// dropped: sqlparser wants none.
func (p *parser) queryBody() tail {
	start := p.cur().start
	p.refuseQuery()
	if p.atOp("(") && !p.unionBehind() {
		return p.inParentheses(start)
	}
	inner := p.unionPart()
	unions := 0
	for p.at("UNION") {
		if p.query.into != nil && p.query.mayInto {
			p.fail(mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of UNION and INTO (at position %d)", p.cur().start+1))
		}
		if inner.ordered {
			p.fail(mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of UNION and ORDER BY or LIMIT (at position %d): put the SELECT in parentheses", p.cur().start+1))
		}
		if unions++; unions > maxUnions {
			p.failAt(p.cur().start, "fewer UNIONs")
		}
		p.union()
		inner = p.unionPart()
		p.higher()
	}
	p.refuseSetOperator()
	if unions > 0 && !inner.ordered {
		return p.queryTail()
	}
	return inner
}

// higher counts a tree that has what was read of the query so far as its left
// side.
func (p *parser) higher() {
	if p.query.height++; p.query.height > maxHeight {
		p.tooHigh()
	}
}

// maxUnions bounds the height of a UNION's tree.
const maxUnions = 10_000

// refuseQuery names the queries that are not supported.
func (p *parser) refuseQuery() {
	if p.at("TABLE") {
		p.unsupportedInstead("TABLE as a query", p.cur().start, "SELECT * FROM the table")
	}
}

func (p *parser) refuseSetOperator() {
	if p.atSetOperator() {
		p.unsupported(p.cur().start, strings.ToUpper(p.text(p.cur())))
	}
}

// unionBehind is true where UNION follows the parenthesis that opens here.
func (p *parser) unionBehind() bool {
	n := p.cur().n
	return n > 0 && p.isWord(&p.toks[n+1], "UNION")
}

// inParentheses reads a query that is wholly in parentheses.
func (p *parser) inParentheses(start int) tail {
	p.nest()
	p.expectOp("(")
	p.atQuery()
	inner := p.queryExpression()
	p.expectOp(")")
	p.unnest()
	outer := p.queryTail()
	if inner.ordered && outer.ordered {
		p.unsupported(start, "ORDER BY or LIMIT both inside and behind parentheses")
	}
	return tail{inner.ordered || outer.ordered}
}

// atQuery fails where no query begins.
func (p *parser) atQuery() {
	if !p.atOp("(") && !p.atAny("SELECT", "WITH", "VALUES", "TABLE") {
		p.expected("SELECT")
	}
}

// unionPart reads one SELECT of a union. Without parentheses the last one's
// ORDER BY and LIMIT are those of the union.
func (p *parser) unionPart() tail {
	switch {
	case p.at("VALUES"):
		p.valuesQuery()
		return p.queryTail()
	case !p.atOp("("):
		p.selectCore()
		return p.queryTail()
	}
	p.subquery()
	return tail{}
}

func (p *parser) union() {
	p.expect("UNION")
	switch p.acceptAny("ALL", "DISTINCT") {
	case "ALL":
		p.out.write("union all")
	default:
		p.out.write("union")
	}
	p.refuseQuery()
}

// queryTail reads ORDER BY, LIMIT and locks.
func (p *parser) queryTail() tail {
	p.refuseSetOperator()
	ordered := p.orderBy()
	limited := p.limit(true)
	if p.at("PROCEDURE") {
		p.unsupported(p.cur().start, "PROCEDURE")
	}
	p.into()
	locked := p.lock()
	p.into()
	return tail{ordered || limited || locked}
}

// into reads INTO @a, @b of a whole SELECT. Files are not written.
func (p *parser) into() {
	if !p.at("INTO") {
		return
	}
	next := p.peek(1)
	switch {
	case p.isWord(next, "OUTFILE", "DUMPFILE"):
		p.unsupportedInstead("INTO "+strings.ToUpper(p.text(next)), p.cur().start, "the rows to a file in the program")
	case next.kind != tokUserVar:
		p.pos++
		p.expected("a user variable, as in INTO @a")
	case !p.query.mayInto:
		p.unsupportedInstead("INTO in an inner SELECT", p.cur().start, "SELECT (subquery) INTO @a")
	case p.query.into != nil:
		p.expected("one INTO")
	}
	p.pos++
	p.list(func() {
		if p.cur().kind != tokUserVar {
			p.expected("a user variable, as in INTO @a")
		}
		p.query.into = append(p.query.into, variableName(p.text(p.advance())))
	})
}

func (p *parser) orderBy() bool {
	if !p.at("ORDER") {
		return false
	}
	p.expect("ORDER", "BY")
	p.out.write("order by")
	p.separated(func() {
		p.expr()
		switch p.acceptAny("ASC", "DESC") {
		case "DESC":
			p.out.write("desc")
		}
	})
	return true
}

// limit reads LIMIT n, and where offset is true also LIMIT a, n and LIMIT n
// OFFSET a.
func (p *parser) limit(offset bool) bool {
	if !p.accept("LIMIT") {
		return false
	}
	p.out.write("limit")
	p.limitValue()
	switch {
	case !offset:
	case p.acceptOp(","):
		p.out.write(",")
		p.limitValue()
	case p.accept("OFFSET"):
		p.out.write("offset")
		p.limitValue()
	}
	return true
}

func (p *parser) limitValue() {
	switch t := p.cur(); t.kind {
	case tokParam:
		p.out.bind(":v", p.param()+1)
	case tokInt:
		p.uintValue("a number of rows")
		p.out.write(p.text(t))
	default:
		p.expected("a number of rows or ?")
	}
}

// lock reads FOR UPDATE, FOR SHARE and LOCK IN SHARE MODE.
func (p *parser) lock() bool {
	switch {
	case p.accept("LOCK"):
		p.expect("IN", "SHARE", "MODE")
		p.out.write("lock in share mode")
		p.query.locks = true
		return true
	case !p.accept("FOR"):
		return false
	}
	p.query.locks = true
	if p.expectAny("UPDATE", "SHARE") == "UPDATE" {
		p.out.write("for update")
	} else {
		p.out.write("lock in share mode")
	}
	if p.at("OF") {
		p.unsupported(p.cur().start, "FOR UPDATE OF")
	}
	p.lockWait()
	return true
}

func (p *parser) lockWait() {
	switch {
	case p.accept("NOWAIT"):
		p.query.lockWait = LockNoWait
	case p.accept("SKIP"):
		p.expect("LOCKED")
		p.query.lockWait = LockSkipLocked
	}
}
