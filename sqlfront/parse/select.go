package parse

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// selectCore reads a SELECT up to HAVING.
func (p *parser) selectCore() {
	p.nest()
	p.expect("SELECT")
	p.out.write("select")
	p.selectHints()
	p.selectModifiers()
	p.separated(p.selectItem)
	p.into()
	if p.accept("FROM") {
		p.out.write("from")
		p.tables()
	}
	p.where()
	p.groupBy()
	if p.accept("HAVING") {
		p.out.write("having")
		p.expr()
	}
	if p.at("WINDOW") {
		p.unsupported(p.cur().start, "WINDOW")
	}
	p.unnest()
}

// selectHints reads the hints of a SELECT. Those of the first one hold for the
// whole statement; others cannot choose versions.
func (p *parser) selectHints() {
	start := p.cur().start
	h := p.hints()
	if p.query.mayHint {
		p.query.hints, p.query.mayHint = h, false
		return
	}
	if h.Versions != nil || h.TimeRange != nil {
		p.unsupported(start, "VERSIONS or TIMERANGE behind an inner or later SELECT")
	}
}

// selectModifiers reads DISTINCT and the words that MySQL's optimizer takes.
func (p *parser) selectModifiers() {
	distinct, straight := false, false
	for {
		switch p.acceptAny("ALL", "DISTINCT", "DISTINCTROW", "HIGH_PRIORITY", "STRAIGHT_JOIN", "SQL_SMALL_RESULT",
			"SQL_BIG_RESULT", "SQL_BUFFER_RESULT", "SQL_CACHE", "SQL_NO_CACHE", "SQL_CALC_FOUND_ROWS") {
		case "DISTINCT", "DISTINCTROW":
			distinct = true
		case "STRAIGHT_JOIN":
			straight = true
		case "SQL_CALC_FOUND_ROWS":
			p.query.found = true
		case "":
			if distinct {
				p.out.write("distinct")
			}
			if straight {
				p.out.write("straight_join")
			}
			return
		}
	}
}

// selectItem reads one item, and gives it the label that MySQL would where it
// has no alias.
func (p *parser) selectItem() {
	if p.star() {
		return
	}
	start := p.cur().start
	s := p.expr()
	label, aliased := p.alias()
	switch {
	case aliased:
	case s.column:
		return
	case s.text != nil:
		label = strings.ToValidUTF8(string(s.text), "\uFFFD")
	default:
		label = p.source(start)
	}
	if label = cutLabel(strings.TrimLeftFunc(label, notGraphic)); label != "" {
		p.out.write("as")
		p.out.ident(label)
	}
}

// notGraphic are the characters that MySQL takes off the front of a label.
func notGraphic(r rune) bool { return r <= ' ' || r == 0x7F }

// maxLabel is MySQL's limit of an alias, in characters.
const maxLabel = 256

func cutLabel(label string) string {
	if len(label) <= maxLabel {
		return label
	}
	end := 0
	for range maxLabel {
		_, size := utf8.DecodeRuneInString(label[end:])
		end += size
		if end == len(label) {
			break
		}
	}
	return label[:end]
}

// star reads *, t.* and db.t.*.
func (p *parser) star() bool {
	n := 0
	for n < 4 && p.isName(p.peek(n)) && p.isOp(p.peek(n+1), ".") {
		n += 2
	}
	if !p.isOp(p.peek(n), "*") {
		return false
	}
	start := p.cur().start
	var qualifier []string
	for range n / 2 {
		qualifier = append(qualifier, p.nameOf(p.advance()))
		p.pos++
	}
	p.pos++
	if p.view != nil {
		p.viewStar(start, qualifier)
		return true
	}
	for _, name := range qualifier {
		p.out.ident(name)
		p.out.write(".")
	}
	p.out.write("*")
	return true
}

// alias reads [AS] alias of a select item, a name or a string.
func (p *parser) alias() (string, bool) {
	as := p.accept("AS")
	switch {
	case p.atOffset():
		p.failAt(p.cur().start, "LIMIT in front of OFFSET")
	case p.atSetOperator():
		p.refuseSetOperator()
	case p.cur().kind == tokString:
		text := bytes.ToValidUTF8(p.literal().Bytes, []byte("\uFFFD"))
		return strings.ReplaceAll(string(text), "\x00", ""), true
	case p.atName():
		return p.nameOf(p.advance()), true
	case as:
		p.expected("an alias")
	}
	return "", false
}

// atOffset is true at an OFFSET that should have had a LIMIT in front: as an
// alias it would be followed by something else.
func (p *parser) atOffset() bool {
	k := p.peek(1).kind
	return p.at("OFFSET") && (k == tokInt || k == tokParam)
}

// atSetOperator is true at EXCEPT or INTERSECT, which are no reserved words.
func (p *parser) atSetOperator() bool {
	next := p.peek(1)
	return p.atAny("EXCEPT", "INTERSECT") && (p.isWord(next, "SELECT", "ALL", "DISTINCT") || p.isOp(next, "("))
}

// tableAlias reads [AS] alias, or nothing.
func (p *parser) tableAlias() string {
	if p.at("AS", "OF") {
		p.unsupported(p.cur().start, "AS OF without FOR SYSTEM_TIME")
	}
	as := p.accept("AS")
	switch {
	case p.atOffset():
		p.failAt(p.cur().start, "LIMIT in front of OFFSET")
	case p.atSetOperator():
		p.refuseSetOperator()
	case p.at("WINDOW") && p.isWord(p.peek(2), "AS"):
		p.unsupported(p.cur().start, "WINDOW")
	case p.at("FULL") && p.isWord(p.peek(1), "OUTER", "JOIN"):
		p.unsupported(p.cur().start, "FULL OUTER JOIN")
	case p.atName():
		return p.nameOf(p.advance())
	case as:
		p.expected("an alias")
	}
	return ""
}

func (p *parser) writeAlias(alias string) {
	if alias != "" {
		p.out.write("as")
		p.out.ident(alias)
	}
}

func (p *parser) where() {
	if p.accept("WHERE") {
		p.out.write("where")
		p.expr()
	}
}

func (p *parser) groupBy() {
	if !p.accept("GROUP") {
		return
	}
	p.expect("BY")
	p.out.write("group by")
	p.separated(func() {
		p.expr()
		if p.atAny("ASC", "DESC") {
			p.unsupported(p.cur().start, "GROUP BY ... "+p.text(p.cur()))
		}
	})
	if p.at("WITH", "ROLLUP") {
		p.unsupported(p.cur().start, "WITH ROLLUP")
	}
}

// tables reads the table references of FROM.
func (p *parser) tables() {
	p.separated(p.joinedTable)
}

// joinedTable reads a table with its joins.
func (p *parser) joinedTable() {
	p.nest()
	p.tableFactor()
	for p.join() {
		p.higher()
	}
	p.unnest()
}

// join reads one join behind a table, if there is one.
func (p *parser) join() bool {
	if p.accept("NATURAL") {
		p.naturalJoin()
		return true
	}
	switch p.acceptAny("STRAIGHT_JOIN", "LEFT", "RIGHT", "INNER", "CROSS", "JOIN") {
	case "STRAIGHT_JOIN":
		p.out.write("straight_join")
		p.tableFactor()
		p.joinOn()
	case "LEFT":
		p.outerJoin("left join")
	case "RIGHT":
		p.outerJoin("right join")
	case "INNER", "CROSS":
		p.expect("JOIN")
		p.innerJoin()
	case "JOIN":
		p.innerJoin()
	default:
		return false
	}
	return true
}

func (p *parser) naturalJoin() {
	words := "natural join"
	switch p.acceptAny("LEFT", "RIGHT", "INNER") {
	case "LEFT":
		words = "natural left join"
		p.accept("OUTER")
	case "RIGHT":
		words = "natural right join"
		p.accept("OUTER")
	}
	p.expect("JOIN")
	p.out.write(words)
	p.tableFactor()
}

func (p *parser) innerJoin() {
	p.out.write("join")
	p.tableFactor()
	if !p.joinOn() {
		p.joinUsing()
	}
}

// outerJoin reads LEFT and RIGHT JOIN, whose right side may be joins of its own
// in front of the condition.
func (p *parser) outerJoin(words string) {
	p.accept("OUTER")
	p.expect("JOIN")
	p.out.write(words)
	p.tableFactor()
	p.nest()
	for !p.atAny("ON", "USING") && p.join() {
	}
	p.unnest()
	if !p.joinOn() && !p.joinUsing() {
		p.expected("ON or USING")
	}
}

func (p *parser) joinOn() bool {
	if !p.at("ON") || p.at("ON", "DUPLICATE", "KEY") {
		return false
	}
	p.pos++
	p.out.write("on")
	p.expr()
	return true
}

func (p *parser) joinUsing() bool {
	if !p.accept("USING") {
		return false
	}
	p.expectOp("(")
	p.out.write("using (")
	p.separated(func() { p.out.ident(p.name("the name of a column")) })
	p.expectOp(")")
	p.out.write(")")
	return true
}

// tableFactor reads a table, a derived table or joins in parentheses.
func (p *parser) tableFactor() {
	t := p.cur()
	switch {
	case p.atOp("(") && p.isQuery(p.pos):
		p.derivedTable()
	case p.atOp("("):
		p.pos++
		p.out.write("(")
		p.tables()
		p.expectOp(")")
		p.out.write(")")
	case p.at("JSON_TABLE") && p.called(), p.at("LATERAL") && p.called():
		p.unsupported(t.start, strings.ToUpper(p.text(t)))
	case p.accept("DUAL"):
		p.out.write("dual")
	default:
		p.baseTable(true)
	}
}

func (p *parser) derivedTable() {
	end := p.toks[p.pos].n
	if p.namesColumns(end + 1) {
		p.derivedWithColumns()
		return
	}
	p.subquery()
	alias := p.tableAlias()
	if alias == "" {
		p.fail(mysqlerr.New(mysqlerr.DerivedMustHaveAlias, "Every derived table must have its own alias (at position %d)", p.toks[end].end+1))
	}
	p.writeAlias(alias)
}

// baseTable reads a table with its PARTITION, FOR SYSTEM_TIME, alias and index
// hints. It writes the alias where aliased is true, and returns it.
func (p *parser) baseTable(aliased bool) (name TableName, alias string) {
	name = p.tableName()
	if p.commonTable(name) < 0 {
		p.query.stored = append(p.query.stored, name.Offset)
		if p.view != nil {
			p.viewRef(name.Offset, name, -1)
		}
	}
	partitions, period := p.partitionSelection(), p.period()
	p.writeTable(name, period, partitions)
	alias = p.tableAlias()
	p.indexHints()
	if aliased {
		p.writeAlias(alias)
	}
	return name, alias
}

// writeTable writes a name with the indexes of what stands behind it.
func (p *parser) writeTable(name TableName, period, partitions int) {
	if name.Database != "" {
		p.out.ident(name.Database)
		p.out.write(".")
	}
	common := p.commonTable(name)
	if common >= 0 {
		p.res.Common[common].Used = true
	}
	p.out.ident(TableRef{Name: name.Name, Period: period, Partitions: partitions, Common: common}.mark())
}

// partitionSelection reads PARTITION (p0, p1) and returns its index, or -1.
func (p *parser) partitionSelection() int {
	if !p.accept("PARTITION") {
		return -1
	}
	p.expectOp("(")
	p.res.Partitions = append(p.res.Partitions, p.names("the name of a partition"))
	p.expectOp(")")
	return len(p.res.Partitions) - 1
}

// indexHints passes USE, FORCE and IGNORE INDEX: the plan needs no advice.
func (p *parser) indexHints() {
	for p.atAny("USE", "FORCE", "IGNORE") && p.isWord(p.peek(1), "INDEX", "KEY") {
		p.pos += 2
		if p.accept("FOR") && p.acceptAny("JOIN") == "" {
			p.expectAny("ORDER", "GROUP")
			p.expect("BY")
		}
		p.expectOp("(")
		if !p.atOp(")") {
			p.list(func() { p.anyName("the name of an index") })
		}
		p.expectOp(")")
		p.acceptOp(",")
	}
}
