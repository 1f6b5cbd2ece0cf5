package relation

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// TableNamed is the relation that a table name of a statement stands for; that of a view has no columns yet.
// alias is empty if the statement gives none. Its errors are 1046, 1049, 1146 and, for PARTITION (...), 1735
// and 1747.
func (p *Resolver) TableNamed(hints ast.Hints, table *ast.Table, alias string) (*Relation, error) {
	r, err := p.lookup(table.Database(), table.Name.String())
	if err != nil {
		return nil, err
	}
	if r.View, err = p.choice(hints, table.Period); err != nil {
		return nil, err
	}
	if table.Period != nil && !r.Stored() && r.Definition == nil && r.Typed == nil {
		return nil, mysqlerr.Unsupported("FOR SYSTEM_TIME of " + r.Name)
	}
	if table.Partitions != nil {
		if r.selection, err = r.SelectedBy(table.Partitions); err != nil {
			return nil, err
		}
	}
	if err := r.hint(table.Hints); err != nil {
		return nil, err
	}
	if alias != "" {
		r.Alias = alias
	}
	r.NameColumns()
	return r, nil
}

// choice is what a statement says of a table's versions. The expressions of FOR SYSTEM_TIME cannot refer to
// columns, and have one value for the whole statement.
func (p *Resolver) choice(hints ast.Hints, period *clause.Period) (versions.Choice, error) {
	c := versions.Choice{Period: period, Versions: hints.Versions, Times: hints.TimeRange}
	if period == nil {
		return c, nil
	}
	var err error
	if c.A, err = p.moment(period.A); err == nil {
		c.B, err = p.moment(period.B)
	}
	return c, err
}

// moment binds an operand of FOR SYSTEM_TIME that is an expression; nil for any other.
func (p *Resolver) moment(o clause.Operand) (expr.Node, error) {
	if o.Expr == nil {
		return nil, nil
	}
	b := bind.Binder{Arguments: p.Arguments, Meter: &p.Meter}
	n, err := b.Bind(o.Expr)
	if err != nil {
		return nil, err
	}
	if bind.Differs(o.Expr) {
		err := mysqlerr.Unsupported("FOR SYSTEM_TIME with an expression whose value can change within a statement")
		err.Message += ": write SET @t = ..., and FOR SYSTEM_TIME ... @t"
		return nil, err
	}
	return bind.Bigint(n), nil
}

func (p *Resolver) lookup(database, name string) (*Relation, error) {
	if database == "" && strings.EqualFold(name, "dual") {
		return &Relation{Kind: KindDual, Name: name, Alias: name}, nil
	}
	if database == "" {
		database = p.Database
	}
	if database == "" {
		return nil, mysqlerr.New(mysqlerr.NoDB, "No database selected")
	}
	p.Uses.Note(p.Catalog, database, name)
	if r, known := p.lookupVirtual(database, name); r != nil || known {
		return r, p.missingUnless(r != nil, database, name)
	}
	r, err := p.lookupStored(database, name)
	switch {
	case err != nil:
		return nil, err
	case r != nil && p.ForView && r.isTemporary():
		return nil, mysqlerr.New(mysqlerr.ViewSelectTmptable, "View's SELECT refers to a temporary table '%s'", name)
	case r == nil && p.Catalog.Database(database) == nil:
		return nil, mysqlerr.UnknownDatabase(database)
	}
	return r, p.missingUnless(r != nil, database, name)
}

func (p *Resolver) missingUnless(found bool, database, name string) error {
	if found {
		return nil
	}
	err := mysqlerr.NoTable(database, name)
	err.Message += mysqlerr.NearestOf(name, p.namesIn(database))
	return err
}

// namesIn are the names of the database that may stand in FROM and that the account may see.
func (p *Resolver) namesIn(database string) []string {
	var names []string
	add := func(name, group string) {
		if p.Access.Sees(database, name, group) {
			names = append(names, name)
		}
	}
	for _, t := range p.Catalog.Tables(database) {
		add(t.Name, t.Group)
	}
	for _, g := range p.Catalog.Groups(database) {
		add(g.Name, "")
	}
	for _, v := range p.Catalog.Views(database) {
		add(v.Name, "")
	}
	return names
}

func (p *Resolver) lookupVirtual(database, name string) (*Relation, bool) {
	if p.Virtual == nil || p.Hidden != nil && p.Hidden(p.Catalog, database) {
		return nil, false
	}
	t, known := p.Virtual(database, name)
	if t == nil {
		return nil, known
	}
	return &Relation{
		Kind: KindVirtual, Database: database, Name: name, Alias: name,
		Columns: slices.Clone(t.Columns()), Virtual: t,
	}, true
}

// ofTyped is the relation of the typed table whose rows are in a family.
func (p *Resolver) ofTyped(t *kv.Table) (*Relation, error) {
	r, err := OfTyped(t)
	if err == nil {
		err = r.addIndexes(p.Catalog, t, r.Typed)
	}
	return r, err
}

func (p *Resolver) lookupStored(database, name string) (*Relation, error) {
	if t := schema.OwnTyped(p.Catalog, database, name); t != nil {
		return p.ofTyped(t)
	}
	if t := p.Catalog.Table(database, name); t != nil {
		r := &Relation{
			Kind: KindTable, Database: database, Name: name, Alias: name,
			Columns: tableColumns(t), tables: []*kv.Table{t},
		}
		if face := typed.IndexedCells(t); face != nil {
			return r, r.addIndexes(p.Catalog, t, face)
		}
		return r, nil
	}
	if t := schema.TypedTable(p.Catalog, database, name); t != nil {
		return p.ofTyped(t)
	}
	if g := p.Catalog.Group(database, name); g != nil {
		families := p.Catalog.Families(database, name)
		return &Relation{
			Kind: KindGroup, Database: database, Name: name, Alias: name,
			Columns: groupColumns(families), tables: families, families: familyNames(families), group: g,
		}, nil
	}
	if v := p.Catalog.View(database, name); v != nil {
		if v.Group != "" {
			return OfMapped(p.Catalog, v)
		}
		return ViewRelation(v), nil
	}
	return nil, nil
}

// OfTyped is the relation of the typed table whose rows are in a family.
func OfTyped(t *kv.Table) (*Relation, error) {
	face, err := typed.Of(t)
	if err != nil {
		return nil, err
	}
	return faceRelation(t.Database, t.Group, face, []*kv.Table{t}), nil
}

// OfMapped is the relation of a typed table that is mapped onto families of a catalog. The error is 1146 if
// one is missing.
func OfMapped(c *kv.Catalog, v *kv.View) (*Relation, error) {
	face, err := typed.OfView(v)
	if err != nil {
		return nil, err
	}
	tables, err := face.FamiliesIn(c, v)
	if err != nil {
		return nil, err
	}
	return faceRelation(v.Database, v.Name, face, tables), nil
}

func faceRelation(database, name string, face *typed.Table, tables []*kv.Table) *Relation {
	r := &Relation{Kind: KindTyped, Database: database, Name: name, Alias: name, Typed: face, tables: tables}
	for i := range face.Columns {
		c := &face.Columns[i]
		r.Columns = append(r.Columns, Column{Name: c.Name, Type: face.Values(i), Key: face.KeyPart(i) >= 0,
			Hidden: c.Hidden, Numbered: c.AutoIncrement, HasDefault: c.Default != nil || c.Generated != nil})
	}
	return r
}

// NameColumns sets in each column where it comes from.
func (r *Relation) NameColumns() {
	for i := range r.Columns {
		c := &r.Columns[i]
		c.Database, c.Table, c.OrgTable, c.OrgName = r.Database, r.Alias, r.Name, c.Name
	}
}

func familyNames(tables []*kv.Table) [][]byte {
	out := make([][]byte, len(tables))
	for i, t := range tables {
		out[i] = []byte(t.Family)
	}
	return out
}

// ViewRelation is a view as a relation; viewQuery sets its columns.
func ViewRelation(v *kv.View) *Relation {
	return &Relation{Kind: KindDerived, Database: v.Database, Name: v.Name, Alias: v.Name, Definition: v}
}
