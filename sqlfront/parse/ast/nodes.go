package ast

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
)

// The nodes of this file are those that sqlparser lacks. Each embeds one of sqlparser's nodes, which holds
// what is below: this makes them Exprs, SelectExprs or table names of its trees, printed by sqlparser.String
// and walked by sqlparser.Walk.

// leaf is embedded by expressions with nothing below.
type leaf struct{ *sqlparser.NullVal }

// LiteralKind distinguishes text from binary strings.
type LiteralKind uint8

// The kinds of literal.
const (
	LitString    LiteralKind = iota // 'text', "text", N'text', _utf8mb4'text'
	LitBytes                        // X'00', 0x00, b'01', 0b01, _binary'..'
	LitDate                         // DATE '2020-01-01'; the bytes are the text in quotes
	LitTime                         // TIME '10:00:00'
	LitTimestamp                    // TIMESTAMP '2020-01-01 10:00:00'
)

// Literal is a string, hex, bit or date literal with its escapes resolved, except
// that \% and \_ keep their backslash as in MySQL
// (https://dev.mysql.com/doc/refman/5.7/en/string-literals.html). Adjacent strings
// are one.
type Literal struct {
	leaf
	Kind LiteralKind
	// Hex is true for X'..', 0x.., b'..' and 0b.., which MySQL reads as numbers in numeric context.
	Hex bool
	// Slot is the number of the first token among the literals of the text, from 0 on; -1 for a word that is
	// an argument, such as the unit of EXTRACT.
	Slot  int
	Bytes []byte
	// Charset is the character set of the bytes, as an introducer names it, in lower case; empty without an
	// introducer.
	Charset string
}

// Format prints the literal as SQL text.
func (l *Literal) Format(buf *sqlparser.TrackedBuffer) {
	if l.Hex {
		buf.Myprintf("X'%s'", hex.EncodeToString(l.Bytes))
		return
	}
	if l.Kind == LitString && l.Charset != "" {
		buf.WriteString("_" + l.Charset + " ")
	}
	buf.WriteString([...]string{"", "_binary ", "date ", "time ", "timestamp "}[l.Kind])
	sqlparser.NewStrVal(l.Bytes).Format(buf)
}

// Number is an integer, decimal or floating-point literal.
type Number struct {
	leaf
	// Text is the number as written, including a sign in front of an integer.
	Text string
	Int  bool
	Slot int // like Literal.Slot
}

// Format prints the number.
func (n *Number) Format(buf *sqlparser.TrackedBuffer) { buf.WriteString(n.Text) }

// Param is a placeholder.
type Param struct {
	leaf
	Index int // in the order of the text, from 0 on
}

// Format prints a placeholder as sqlparser does.
func (p *Param) Format(buf *sqlparser.TrackedBuffer) { buf.WriteArg(fmt.Sprintf(":v%d", p.Index+1)) }

// UserVar is @name.
type UserVar struct {
	leaf
	Name string
}

// Format prints the variable.
func (v *UserVar) Format(buf *sqlparser.TrackedBuffer) { buf.WriteString("@" + quoted(v.Name)) }

// SetUserVar is @name := expression.
type SetUserVar struct {
	sqlparser.UnaryExpr
	Name string
}

// Format prints the assignment.
func (v *SetUserVar) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("@%s := %v", quoted(v.Name), v.Expr)
}

// SystemVar is @@name or @@scope.name, in lower case.
type SystemVar struct {
	leaf
	Scope, Name string // the scope is empty, session or global
}

// Format prints the variable.
func (v *SystemVar) Format(buf *sqlparser.TrackedBuffer) {
	buf.WriteString("@@")
	if v.Scope != "" {
		buf.WriteString(v.Scope + ".")
	}
	buf.WriteString(v.Name)
}

// Rollup is the whole list of a GROUP BY that ends in WITH ROLLUP.
type Rollup struct{ sqlparser.ValTuple }

// Format prints the expressions.
func (r *Rollup) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("%v with rollup", sqlparser.Exprs(r.ValTuple))
}

// Xor is a XOR b XOR ..., of two operands or more.
type Xor struct{ sqlparser.ValTuple }

// Format prints the operands.
func (x *Xor) Format(buf *sqlparser.TrackedBuffer) {
	for i, e := range x.ValTuple {
		if i > 0 {
			buf.WriteString(" xor ")
		}
		buf.Myprintf("%v", e)
	}
}

// Quantified is ANY (SELECT ...) or ALL (SELECT ...), the right side of a comparison.
type Quantified struct {
	sqlparser.ExistsExpr
	All bool
}

// Format prints the word and the subquery.
func (q *Quantified) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("%s %v", map[bool]string{true: "all", false: "any"}[q.All], q.Subquery)
}

// Trim is TRIM([BOTH | LEADING | TRAILING] [remove] FROM s): its operands are s and, if given, remove.
type Trim struct {
	sqlparser.ValTuple
	Side string // BOTH, LEADING or TRAILING
}

// Format prints the call.
func (t *Trim) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("trim(%s ", strings.ToLower(t.Side))
	if len(t.ValTuple) > 1 {
		buf.Myprintf("%v ", t.ValTuple[1])
	}
	buf.Myprintf("from %v)", t.ValTuple[0])
}

// GroupConcat is GROUP_CONCAT. A nil Separator means MySQL's default, a comma.
type GroupConcat struct {
	sqlparser.GroupConcatExpr
	Separator *Literal
}

// Format prints the call.
func (g *GroupConcat) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("group_concat(%s%v%v", g.Distinct, g.Exprs, g.OrderBy)
	if g.Separator != nil {
		buf.Myprintf(" separator %v", g.Separator)
	}
	buf.WriteString(")")
}

// Item is an item of a select list other than a star.
type Item struct {
	sqlparser.AliasedExpr
	// Label is the column's name in the result: the alias, the name of a plain
	// column, or the text of the item.
	Label string
}

// NewItem is an item without an alias; only a column has a label.
func NewItem(e sqlparser.Expr) *Item {
	it := &Item{AliasedExpr: sqlparser.AliasedExpr{Expr: e}}
	if c, ok := e.(*sqlparser.ColName); ok {
		it.Label = c.Name.String()
	}
	return it
}

// ViewStar is a star in the select list of a view.
type ViewStar struct {
	sqlparser.StarExpr
	// Number is the star's number in the Refs of the CreateView.
	Number int
}

// Table is the name of a table in FROM with the clauses after it.
type Table struct {
	sqlparser.TableName
	Period     *clause.Period // FOR SYSTEM_TIME, or nil
	Partitions []string       // PARTITION (p0, p1), or nil
	Common     *CommonTable   // the common table expression that the name means, or nil
	Hints      []IndexHint
}

// IndexHint is {USE | FORCE | IGNORE} INDEX (names).
type IndexHint struct {
	Verb  string // upper case
	Names []string
}

// NewTable is a name with nothing after it.
func NewTable(database, name string) *Table {
	return &Table{TableName: TableIdents(database, name)}
}

// Target is the table into which the rows go.
func (s *Insert) Target() *Table {
	t := &Table{TableName: s.Node.Table}
	for _, p := range s.Node.Partitions {
		t.Partitions = append(t.Partitions, p.String())
	}
	return t
}

// Database is the database before the name, or empty.
func (t *Table) Database() string { return t.Qualifier.String() }

// Format prints the name and the clauses after it. A common table expression has its number in a comment: the
// same name can mean several.
func (t *Table) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("%v%v", t.TableName, sqlparser.Partitions(ColumnIdents(t.Partitions)))
	if t.Period != nil {
		buf.WriteString(" for system_time " + t.Period.String())
	}
	if t.Common != nil {
		fmt.Fprintf(buf, " /* common %d */", t.Common.Number)
	}
}

// TableIdents is database.name as a node of sqlparser; database may be empty.
func TableIdents(database, name string) sqlparser.TableName {
	return sqlparser.TableName{Qualifier: sqlparser.NewTableIdent(database), Name: sqlparser.NewTableIdent(name)}
}

// ColumnIdents turns names into nodes of sqlparser; nil stays nil.
func ColumnIdents(names []string) (out []sqlparser.ColIdent) {
	for _, name := range names {
		out = append(out, sqlparser.NewColIdent(name))
	}
	return out
}

// quoted is a name in backquotes.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Lateral is LATERAL (SELECT ...) in FROM: a derived table that may refer to the tables before it
// (https://dev.mysql.com/doc/refman/8.0/en/lateral-derived-tables.html).
type Lateral struct {
	*sqlparser.Subquery
	Columns []string // nil if none are named
}

// Format prints the word, the query and the names of its columns.
func (l *Lateral) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("lateral %v", l.Subquery)
	if l.Columns != nil {
		buf.Myprintf(" /* %v */", sqlparser.Columns(ColumnIdents(l.Columns)))
	}
}

// Unparenthesized is e without parentheses around it.
func Unparenthesized(e sqlparser.Expr) sqlparser.Expr {
	for {
		p, ok := e.(*sqlparser.ParenExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}
