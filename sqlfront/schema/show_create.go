package schema

import (
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
)

// createTableText is a statement that makes the same table again.
func createTableText(t *kv.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", identifier(t.Name))
	for _, c := range tableColumns(t) {
		fmt.Fprintf(&b, "  %s,\n", columnText(c))
	}
	key := primaryKey(t)
	fmt.Fprintf(&b, "  PRIMARY KEY (%s,%s,%s)\n) ENGINE=%s DEFAULT %s",
		identifier(key[0]), identifier(key[1]), identifier(key[2]), engineName, tableText(t.Text))
	if t.HBase {
		b.WriteString(" HBase")
	}
	if t.Comment != "" {
		b.WriteString(" COMMENT=" + quote(t.Comment))
	}
	b.WriteString(partitionText(t))
	return b.String()
}

func columnText(c column) string {
	text := typeText(c)
	if c.comment != "" {
		text += " COMMENT " + quote(c.comment)
	}
	return text
}

func typeText(c column) string {
	text := identifier(c.name) + " " + c.declared
	switch {
	case c.expression != "" && c.stored:
		return text + " GENERATED ALWAYS AS (" + c.expression + ") STORED"
	case c.expression != "":
		return text + " GENERATED ALWAYS AS (" + c.expression + ") VIRTUAL"
	case !c.nullable:
		return text + " NOT NULL"
	case c.data == string(kv.VarBinary):
		return text + " DEFAULT NULL"
	}
	return text
}

// partitionText is the PARTITION BY clause on lines of its own, or nothing.
func partitionText(t *kv.Table) string {
	outer, below := levelTexts(t)
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

// viewText is the SELECT that the virtual table of a group stands for.
func viewText(r relation) string {
	var parts []string
	for _, t := range r.families {
		parts = append(parts, fmt.Sprintf("select %s,%s AS %s,%s,%s,%s from %s.%s", identifier(plan.ColumnK), quote(t.Family),
			identifier(plan.ColumnF), identifier(plan.ColumnQ), identifier(plan.ColumnT), identifier(plan.ColumnV),
			identifier(t.Database), identifier(t.Name)))
	}
	return strings.Join(parts, " union all ")
}

func createGroupViewText(r relation) string {
	return "CREATE VIEW " + identifier(r.name) + " AS " + viewText(r)
}

func createGroupText(g *kv.Group) string {
	text := "CREATE TABLEGROUP IF NOT EXISTS " + identifier(g.Name)
	if g.Sharding != "" {
		text += " SHARDING = " + quote(g.Sharding)
	}
	return text
}

func createDatabaseText(name string, t kv.Text) string {
	return "CREATE DATABASE " + identifier(name) + " /*!40100 DEFAULT " + textOptions(t) + " */"
}

// tableText is how a table's options write it.
func tableText(t kv.Text) string {
	return strings.NewReplacer("CHARACTER SET ", "CHARSET=", "COLLATE ", "COLLATE=").Replace(textOptions(t))
}
