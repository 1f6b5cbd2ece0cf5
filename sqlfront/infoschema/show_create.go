package infoschema

import (
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// createTableText is a statement that creates the same table, in the same group; g is nil if the table has
// none.
func (s *show) createTableText(each object, g *kv.Group) (string, error) {
	t := each.table
	columns, err := s.columns(s.catalog, each)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	kind := "TABLE"
	if t.Temporary {
		kind = "TEMPORARY TABLE"
	}
	fmt.Fprintf(&b, "CREATE %s %s (\n", kind, lex.QuoteName(each.name))
	lines := make([]string, len(columns))
	for i, c := range columns {
		lines[i] = "  " + columnText(c)
	}
	if key := primaryKey(each); len(key) > 0 {
		for i := range key {
			key[i] = lex.QuoteName(key[i])
		}
		lines = append(lines, "  PRIMARY KEY ("+strings.Join(key, ",")+")")
	}
	lines = append(append(lines, indexLines(each)...), checkLines(each)...)
	b.WriteString(strings.Join(lines, ",\n") + foreignLines(each) + "\n) ENGINE=" + engineName)
	number, err := s.nextNumber(each)
	if err != nil {
		return "", err
	}
	if number > 1 {
		fmt.Fprintf(&b, " AUTO_INCREMENT=%d", number)
	}
	b.WriteString(" DEFAULT " + tableText(schema.Of(t).Text))
	if schema.Of(t).HBase {
		b.WriteString(" HBase")
	}
	if face := typedFace(each); face != nil && face.Redundant() {
		b.WriteString(" ROW_FORMAT=REDUNDANT")
	}
	if comment := schema.Of(t).Comment; comment != "" {
		b.WriteString(" COMMENT=" + lex.QuoteString(comment))
	}
	mapping, err := mappingText(each)
	if err != nil {
		return "", err
	}
	b.WriteString(mapping)
	inherited := kv.Retention{}
	if g != nil {
		inherited = g.Retention
	}
	b.WriteString(retentionText(t.Retention, inherited))
	b.WriteString(s.partitionText(t))
	return b.String(), nil
}

// createInfoText is the statement that MySQL shows for one of its own tables.
func createInfoText(t *infoTable) string {
	lines := make([]string, len(t.columns))
	for i, c := range t.columns {
		lines[i] = "  " + columnText(c)
	}
	kind := "TABLE"
	if t.database == Name {
		kind = "TEMPORARY TABLE"
	}
	return fmt.Sprintf("CREATE %s %s (\n%s\n) ENGINE=%s DEFAULT CHARSET=%s", kind, lex.QuoteName(t.name),
		strings.Join(lines, ",\n"), t.engine(), charset.Catalog.Charset)
}

func columnText(c column) string {
	text := typeText(c)
	if c.comment != "" {
		text += " COMMENT " + lex.QuoteString(c.comment)
	}
	return text
}

func typeText(c column) string {
	text := lex.QuoteName(c.name) + " " + c.declared
	switch {
	case c.declaration != nil:
		return strings.TrimSpace(text + " " + c.declaration.clause)
	case c.expression != "" && c.stored:
		return text + " GENERATED ALWAYS AS (" + c.expression + ") STORED"
	case c.expression != "":
		return text + " GENERATED ALWAYS AS (" + c.expression + ") VIRTUAL"
	case !c.nullable:
		return text + " NOT NULL"
	case c.data == schema.VarBinary:
		return text + " DEFAULT NULL"
	}
	return text
}

// partitionText is the PARTITION BY clause on lines of its own, or nothing.
func (s *show) partitionText(t *kv.Table) string {
	outer, below := s.levelTexts(s.Authority, t)
	if outer == nil {
		return ""
	}
	text := "\nPARTITION BY " + outer.method + " (" + outer.expression() + ")"
	if outer.bounds == nil {
		text += fmt.Sprintf("\nPARTITIONS %d", outer.count)
	}
	if below != nil {
		text += "\nSUBPARTITION BY " + below.method + " (" + below.expression() + ")"
		if below.bounds == nil {
			text += fmt.Sprintf("\nSUBPARTITIONS %d", below.count)
		} else {
			text += "\nSUBPARTITION TEMPLATE" + below.definitions("SUBPARTITION")
		}
	}
	return text + outer.definitions("PARTITION")
}

// viewText is the SELECT for the virtual table of a group.
func viewText(r object) string {
	var parts []string
	for _, t := range r.families {
		parts = append(parts, fmt.Sprintf("select %s,%s AS %s,%s,%s,%s from %s.%s", lex.QuoteName(relation.ColumnK), lex.QuoteString(t.Family),
			lex.QuoteName(relation.ColumnF), lex.QuoteName(relation.ColumnQ), lex.QuoteName(relation.ColumnT), lex.QuoteName(relation.ColumnV),
			lex.QuoteName(t.Database), lex.QuoteName(t.Name)))
	}
	return strings.Join(parts, " union all ")
}

func createGroupViewText(r object) string {
	return "CREATE VIEW " + lex.QuoteName(r.name) + " AS " + viewText(r)
}

// createGroupText is unconditional for a group that was created by a statement: any other exists only while
// it has tables.
func createGroupText(g *kv.Group) string {
	text := "CREATE TABLEGROUP "
	if !g.Explicit {
		text += "IF NOT EXISTS "
	}
	text += lex.QuoteName(g.Name)
	if sharding := schema.ShardingOf(g); sharding != "" {
		text += " SHARDING = " + lex.QuoteString(sharding)
	}
	return text + retentionText(g.Retention, kv.Retention{})
}

func createDatabaseText(name string, t schema.Text, ifNotExists bool) string {
	only := ""
	if ifNotExists {
		only = "/*!32312 IF NOT EXISTS*/ "
	}
	return "CREATE DATABASE " + only + lex.QuoteName(name) + " /*!40100 DEFAULT " + charset.Options(t) + " */"
}

// tableText is the character set and collation as a table's options.
func tableText(t schema.Text) string {
	return strings.NewReplacer("CHARACTER SET ", "CHARSET=", "COLLATE ", "COLLATE=").Replace(charset.Options(t))
}

// createViewText is a statement that creates the same view.
func createViewText(v *kv.View) string {
	var b strings.Builder
	says := schema.OfView(v)
	fmt.Fprintf(&b, "CREATE ALGORITHM=%s DEFINER=%s SQL SECURITY %s VIEW %s (", orElse(says.Algorithm, "UNDEFINED"),
		definerText(says), security(says), lex.QuoteName(v.Name))
	for i, name := range says.Columns {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(lex.QuoteName(name))
	}
	b.WriteString(") AS " + says.Definition)
	if says.Check != "" {
		b.WriteString(" WITH " + says.Check + " CHECK OPTION")
	}
	return b.String()
}

// definer is the account whose privileges apply in a view.
func definer(v *schema.View) string { return orElse(v.Definer, user) }

func definerText(v *schema.View) string {
	at := strings.LastIndexByte(definer(v), '@')
	return lex.QuoteName(definer(v)[:at]) + "@" + lex.QuoteName(definer(v)[at+1:])
}

func security(v *schema.View) string { return orElse(v.Security, "DEFINER") }

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
