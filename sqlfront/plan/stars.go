package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/xwb1989/sqlparser"
)

// addStar adds the columns of * or of table.*.
func (b *blockPlanner) addStar(of sqlparser.TableName) error {
	qualifier := of.Name.String()
	if !of.Qualifier.IsEmpty() {
		qualifier = of.Qualifier.String() + "." + qualifier
	}
	found := false
	for _, p := range b.Scope.Parts {
		if qualifier != "" && !p.Relation.Called(qualifier) {
			continue
		}
		found = found || p.Relation.Kind != relation.KindDual
		if qualifier != "" {
			b.addRelation(p)
		}
	}
	if qualifier == "" {
		b.addAll()
	}
	switch {
	case found:
		return nil
	case qualifier != "":
		return mysqlerr.New(mysqlerr.BadTable, "Unknown table '%s'", qualifier)
	}
	return mysqlerr.New(mysqlerr.NoTablesUsed, "No tables used")
}

// addAll adds the columns of all relations; those that joins with USING share are added once.
func (b *blockPlanner) addAll() {
	for _, c := range b.starColumns {
		r := c.relation
		if c.common {
			r = nil
		}
		origin := &c.relation.Columns[c.at]
		b.starItem(block.Item{Label: origin.Name, Node: c.node, Origin: origin}, r)
	}
}

// addRelation adds the columns of a relation.
func (b *blockPlanner) addRelation(p relation.Part) {
	for i, n := range p.Nodes {
		c := &p.Relation.Columns[i]
		if c.Hidden {
			continue
		}
		b.starItem(block.Item{Label: c.Name, Node: n, Origin: c}, p.Relation)
	}
}

// starItem adds a column that * expands to.
func (b *blockPlanner) starItem(it block.Item, r *relation.Relation) {
	b.Items = append(b.Items, it)
	if b.stars == nil {
		return
	}
	name := lex.QuoteName(it.Origin.Name)
	if r != nil {
		name = lex.QuoteName(r.Alias) + "." + name
		if r.Database != "" && b.sharesAlias(r) {
			name = lex.QuoteName(r.Database) + "." + name
		}
	}
	b.starNames = append(b.starNames, name)
}

// sharesAlias reports whether another relation has the same name in another database.
func (b *blockPlanner) sharesAlias(r *relation.Relation) bool {
	for _, p := range b.Scope.Parts {
		if p.Relation != r && p.Relation.Alias == r.Alias {
			return true
		}
	}
	return false
}

// noteStar records the columns that the * has expanded to.
func (b *blockPlanner) noteStar(number int) {
	if b.stars != nil {
		b.stars[number] = b.starNames
		b.starNames = nil
	}
}
