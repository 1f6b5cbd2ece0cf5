package parse

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// queryState is the state that the readers of clauses share.
type queryState struct {
	// rowAlias and columnAliases are those of INSERT ... VALUES (...) AS new(a, b);
	// columns are the columns that the aliases stand for, in the same order.
	rowAlias      string
	columnAliases []string
	columns       sqlparser.Columns
	// mayHint is true until the first SELECT has been read, if the statement's rows come from a SELECT; hints
	// are those of that SELECT.
	mayHint  bool
	hints    ast.Hints
	dump     bool // it begins like the SELECT of a dump
	found    bool // SQL_CALC_FOUND_ROWS
	locks    bool // it has FOR UPDATE or another locking clause
	lockWait ast.LockWait
	// mayInto is true in the outermost query of a SELECT; into is its INTO.
	mayInto bool
	into    *ast.Into
	// common are the common table expressions in scope, the innermost and last
	// first.
	common *commonScope
	// height is that of the highest tree in the query that is being read.
	height int
	// windows are those of the SELECT that is being read; nil if it has none so far.
	windows *ast.Windows
}

// isQuery reports whether the parenthesis at token i holds a query rather than an expression or a join.
func (p *parser) isQuery(i int) bool {
	for depth := 0; ; depth++ {
		t := &p.Tokens[i]
		if depth > lex.MaxNesting {
			p.TooDeep(t.Start)
		}
		if !p.IsOp(t, "(") {
			return depth > 0 && p.IsWord(t, "SELECT", "WITH", "VALUES", "TABLE") && p.closesQuery(i-depth, i)
		}
		i++
	}
}

// closesQuery reports whether each parenthesis in tokens [from, to), the innermost of which holds a query,
// holds only that query: ((SELECT 1) + 1) does not.
func (p *parser) closesQuery(from, to int) bool {
	word := &p.Tokens[to]
	if p.IsWord(word, "VALUES") && !p.IsWord(&p.Tokens[to+1], "ROW") {
		return false
	}
	for i := to - 1; i > from; i-- {
		if p.Tokens[i].N < 0 {
			return true
		}
		t := &p.Tokens[p.Tokens[i].N+1]
		if !p.IsOp(t, ")") && !p.IsWord(t, "UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "FOR", "LOCK") {
			return false
		}
	}
	return true
}

// subquery reads a query in parentheses.
func (p *parser) subquery() (*sqlparser.Subquery, int) {
	p.Nest()
	p.ExpectOp("(")
	may, around, windows := p.query.mayInto, p.query.height, p.query.windows
	p.query.mayInto, p.query.height = false, 0
	node, _ := p.queryExpression()
	height := p.over(nil, p.query.height).height
	p.query.mayInto, p.query.height, p.query.windows = may, max(around, height), windows
	p.ExpectOp(")")
	p.Unnest()
	return &sqlparser.Subquery{Select: node}, height
}

// tail is what follows the SELECTs of a query: ORDER BY, LIMIT and locks.
type tail struct {
	orderBy sqlparser.OrderBy
	limit   *sqlparser.Limit
	lock    string
}

func (t *tail) isEmpty() bool { return t.orderBy == nil && t.limit == nil && t.lock == "" }

// attach adds the tail to a query, which has none yet.
func (t *tail) attach(node sqlparser.SelectStatement) {
	switch node := node.(type) {
	case *sqlparser.Select:
		node.OrderBy, node.Limit, node.Lock = t.orderBy, t.limit, t.lock
	case *sqlparser.Union:
		node.OrderBy, node.Limit, node.Lock = t.orderBy, t.limit, t.lock
	}
}

// queryExpression reads SELECTs joined by UNION, EXCEPT and INTERSECT, with the WITH before them and their
// tail; ended reports whether there is one.
func (p *parser) queryExpression() (node sqlparser.SelectStatement, ended bool) {
	common := p.query.common
	defer func() { p.query.common = common }()
	if p.At("WITH") {
		p.withClause()
	}
	return p.queryBody()
}

// queryBody reads what may follow WITH. Parentheses around the whole are dropped.
func (p *parser) queryBody() (node sqlparser.SelectStatement, ended bool) {
	start := p.Current().Start
	if p.AtOp("(") && !p.setOperatorBehind() {
		return p.inParentheses(start)
	}
	node, behind := p.setOperand()
	if p.atSetOperator("UNION", "EXCEPT", "INTERSECT") {
		node, behind = p.setOperations(node, behind)
	}
	behind.attach(node)
	return node, !behind.isEmpty()
}

// setOperations reads what follows the first query of a set operation. INTERSECT binds tighter than UNION and
// EXCEPT; each is applied from left to right
// (https://dev.mysql.com/doc/refman/8.0/en/set-operations.html).
func (p *parser) setOperations(first sqlparser.SelectStatement, behind tail) (sqlparser.SelectStatement, tail) {
	s := setReader{parser: p, behind: behind}
	node := s.intersections(first)
	for p.atSetOperator("UNION", "EXCEPT") {
		node = s.operation(node, func() sqlparser.SelectStatement { return s.intersections(s.operand()) })
	}
	if s.behind.isEmpty() {
		s.behind = p.queryTail()
	}
	return node, s.behind
}

// setReader reads set operations; behind is the tail of the query read last.
type setReader struct {
	*parser
	behind tail
	count  int
}

func (s *setReader) operand() (node sqlparser.SelectStatement) {
	node, s.behind = s.setOperand()
	return node
}

func (s *setReader) intersections(node sqlparser.SelectStatement) sqlparser.SelectStatement {
	for s.atSetOperator("INTERSECT") {
		node = s.operation(node, s.operand)
	}
	return node
}

// operation reads an operator and its right side.
func (s *setReader) operation(left sqlparser.SelectStatement, right func() sqlparser.SelectStatement) *sqlparser.Union {
	s.count++
	s.checkSetOperator(&s.behind, s.count)
	u := &sqlparser.Union{Left: left, Type: s.setOperator()}
	u.Right = right()
	s.higher()
	return u
}

// checkSetOperator refuses an operator after a clause that can only stand at the end of the whole query.
func (p *parser) checkSetOperator(before *tail, count int) {
	at, word := p.Current().Start, strings.ToUpper(p.Text(p.Current()))
	switch {
	case p.query.into != nil && p.query.mayInto:
		p.Fail(mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of %s and INTO (at position %d)", word, at+1))
	case !before.isEmpty():
		p.Fail(mysqlerr.New(mysqlerr.WrongUsage,
			"Incorrect usage of %s and ORDER BY or LIMIT (at position %d): put the SELECT in parentheses", word, at+1))
	case count > maxUnions:
		p.FailAt(at, "fewer UNIONs")
	}
}

// higher counts a tree whose left side is all that was read of the query so far.
func (p *parser) higher() {
	if p.query.height++; p.query.height > maxHeight {
		p.tooHigh()
	}
}

// maxUnions bounds the height of a set operation's tree.
const maxUnions = 10_000

// atSetOperator reports whether one of the set operators comes next. EXCEPT and INTERSECT are not reserved
// words in MySQL 5.7: they are names unless a query follows.
func (p *parser) atSetOperator(words ...string) bool {
	if !p.AtAny(words...) {
		return false
	}
	next := p.Peek(1)
	return p.At("UNION") || p.IsWord(next, "SELECT", "ALL", "DISTINCT", "VALUES", "TABLE") ||
		p.IsOp(next, "(") && p.isQuery(p.Pos+1)
}

// setOperatorBehind reports whether an operator follows the parenthesis that opens here.
func (p *parser) setOperatorBehind() bool {
	n := p.Current().N
	return n > 0 && p.IsWord(&p.Tokens[n+1], "UNION", "EXCEPT", "INTERSECT")
}

// inParentheses reads a query that is wholly in parentheses.
func (p *parser) inParentheses(start int) (node sqlparser.SelectStatement, ended bool) {
	p.Nest()
	p.ExpectOp("(")
	p.atQuery()
	node, ended = p.queryExpression()
	p.ExpectOp(")")
	p.Unnest()
	behind := p.queryTail()
	if behind.isEmpty() {
		return node, ended
	}
	if ended {
		p.Unsupported(start, "ORDER BY or LIMIT both inside and after parentheses")
	}
	behind.attach(node)
	return node, true
}

// atQuery fails if no query begins.
func (p *parser) atQuery() {
	if !p.AtOp("(") && !p.AtAny("SELECT", "WITH", "VALUES", "TABLE") {
		p.Expected("SELECT")
	}
}

// setOperand reads one SELECT of a set operation, and the tail after it, which belongs to the whole operation
// if it is the last. One in parentheses has its own tail.
func (p *parser) setOperand() (sqlparser.SelectStatement, tail) {
	switch {
	case p.At("VALUES"):
		node := p.valuesQuery()
		return node, p.queryTail()
	case p.At("TABLE"):
		node := p.tableQuery()
		return node, p.queryTail()
	case !p.AtOp("("):
		node := p.selectCore()
		return node, p.queryTail()
	}
	query, _ := p.subquery()
	return &sqlparser.ParenSelect{Select: query.Select}, tail{}
}

func (p *parser) setOperator() string {
	word := p.ExpectAny("UNION", "EXCEPT", "INTERSECT")
	all := p.AcceptAny("ALL", "DISTINCT") == "ALL"
	return clause.SetOperationOf(word, all).String()
}

// queryTail reads ORDER BY, LIMIT and locks.
func (p *parser) queryTail() (t tail) {
	t.orderBy = p.orderBy()
	t.limit = p.limit(true)
	if p.At("PROCEDURE") {
		p.Unsupported(p.Current().Start, "PROCEDURE")
	}
	p.into()
	t.lock = p.lock()
	p.into()
	return t
}

func (p *parser) orderBy() (list sqlparser.OrderBy) {
	if !p.At("ORDER") {
		return nil
	}
	p.Expect("ORDER", "BY")
	p.List(func() {
		o := &sqlparser.Order{Expr: p.expr().Expr, Direction: sqlparser.AscScr}
		if p.AcceptAny("ASC", "DESC") == "DESC" {
			o.Direction = sqlparser.DescScr
		}
		list = append(list, o)
	})
	return list
}

// limit reads LIMIT n and, if offset is true, also LIMIT a, n and LIMIT n OFFSET a.
func (p *parser) limit(offset bool) *sqlparser.Limit {
	if !p.Accept("LIMIT") {
		return nil
	}
	l := &sqlparser.Limit{Rowcount: p.limitValue()}
	switch {
	case !offset:
	case p.AcceptOp(","):
		l.Offset, l.Rowcount = l.Rowcount, p.limitValue()
	case p.Accept("OFFSET"):
		l.Offset = p.limitValue()
	}
	return l
}

func (p *parser) limitValue() sqlparser.Expr {
	if p.Current().Kind == lex.Param {
		param := &ast.Param{Index: p.param()}
		p.res.Limits = append(p.res.Limits, param.Index)
		return param
	}
	first := p.Pos
	if p.Current().Kind != lex.Int {
		p.Expected("a number of rows or ?")
	}
	p.UintValue("a number of rows")
	p.Pos = first
	return p.number()
}

// lock reads FOR UPDATE, FOR SHARE and LOCK IN SHARE MODE.
func (p *parser) lock() string {
	switch {
	case p.Accept("LOCK"):
		p.Expect("IN", "SHARE", "MODE")
		p.query.locks = true
		return sqlparser.ShareModeStr
	case !p.Accept("FOR"):
		return ""
	}
	p.query.locks = true
	update := p.ExpectAny("UPDATE", "SHARE") == "UPDATE"
	if p.At("OF") {
		p.Unsupported(p.Current().Start, "FOR UPDATE OF")
	}
	p.lockWait()
	return either(update, sqlparser.ForUpdateStr, sqlparser.ShareModeStr)
}

func (p *parser) lockWait() {
	switch {
	case p.Accept("NOWAIT"):
		p.query.lockWait = ast.LockNoWait
	case p.Accept("SKIP"):
		p.Expect("LOCKED")
		p.query.lockWait = ast.LockSkipLocked
	}
}
