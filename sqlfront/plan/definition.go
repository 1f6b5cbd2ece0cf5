package plan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/physical"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Definition describes the SELECT of a view at the time of CREATE VIEW.
type Definition struct {
	// Columns are those of the result, by their labels.
	Columns []relation.Column
	// Stars are the columns that each * of the text expands to, by the number of the *, as a select
	// list would name them.
	Stars map[int][]string
	// Single says that the rows are rows of the tables in FROM, so that MySQL could write through the view.
	Single bool
}

// Define checks the SELECT of a view. Its errors are those of Select.
func (p *Planner) Define(parsed *ast.Parsed, st *ast.CreateView) (*Definition, error) {
	d := &Definition{Stars: map[int][]string{}}
	q := newQueryPlanner(p, parsed, st.Hints)
	q.stars = d.Stars
	planned, err := q.query(st.Select, nil)
	if err == nil {
		err = physical.Complete(planned)
	}
	if err != nil {
		return nil, err
	}
	d.Columns, d.Single = planned.Columns, planned.Block != nil && planned.Block.Plain()
	return d, nil
}

// ViewColumns are the columns of a view of the catalog. The error is 1356 if the view is no longer valid.
func (p *Planner) ViewColumns(v *kv.View) ([]relation.Column, error) {
	q := newQueryPlanner(p, nil, ast.Hints{})
	r := relation.ViewRelation(v)
	_, err := q.viewQuery(r, "")
	return r.Columns, err
}

// maxViews bounds the number of times that views and common table expressions are expanded in one
// statement: those that name others can double it at each level.
const maxViews = 1000

// countUse counts an expansion; the error is 1116 if there are too many.
func (q *queryPlanner) countUse(what string) error {
	if q.named++; q.named > maxViews {
		return mysqlerr.New(mysqlerr.TooManyTables, "Too many tables; a statement can use %s up to %d times, those in "+
			"each other counted", what, maxViews)
	}
	return nil
}

// viewQuery plans the SELECT of a view and sets the columns of its relation. Its rows are locked as the
// SELECT that reads the view requires.
func (q *queryPlanner) viewQuery(r *relation.Relation, lock string) (*block.Query, error) {
	v := r.Definition
	for in := q.reading; in != nil; in = in.within {
		if in.view == v {
			return nil, mysqlerr.New(mysqlerr.ViewRecursive, "`%s`.`%s` contains view recursion", v.Database, v.Name)
		}
	}
	if err := q.countUse("views"); err != nil {
		return nil, err
	}
	planned, err := q.readView(r, lock)
	if err != nil {
		return nil, q.viewError(v, err)
	}
	return planned, setViewColumns(r, planned)
}

func (q *queryPlanner) readView(r *relation.Relation, lock string) (*block.Query, error) {
	v := r.Definition
	parsed, sel, err := q.Planner.parseView(v)
	if err != nil {
		return nil, err
	}
	planner := *q.Planner
	planner.Database, planner.Catalog = v.Database, planner.Catalog.Stored() // a view reads no temporary table
	if planner.Access, err = q.Access.Within(v.Database, v.Name, definerOf(v), schema.OfView(v).Security == "INVOKER"); err != nil {
		return nil, err
	}
	planner.Arguments = nil // literals of the view's text are not those of the statement
	inner := queryPlanner{
		Planner: &planner, planning: q.planning, parsed: parsed, hints: sel.Hints,
		reading: &readingView{view: v, choice: r.View, within: q.reading},
		lock:    lock, lockWait: q.lockWait,
	}
	q.height += parsed.Height
	defer func() { q.height -= parsed.Height }()
	return inner.query(sel.Node, nil)
}

func (p *Planner) parseView(v *kv.View) (*ast.Parsed, *ast.Select, error) {
	if v.Damage != "" {
		return nil, nil, mysqlerr.New(mysqlerr.ViewInvalid, "View '%s.%s' cannot be read: %s; "+
			"create it again with CREATE OR REPLACE VIEW, or remove it with DROP VIEW", v.Database, v.Name, v.Damage)
	}
	parsed, err := parse.Parse(schema.OfView(v).Definition)
	if err != nil {
		return nil, nil, err
	}
	sel, ok := parsed.Stmt.(*ast.Select)
	if !ok {
		return nil, nil, mysqlerr.New(mysqlerr.ViewInvalid, "View '%s.%s' is not a SELECT", v.Database, v.Name)
	}
	return parsed, sel, nil
}

// viewError is error 1356 if something that a view reads has changed since CREATE VIEW. It names the invalid
// view, which may be one that another view reads, and tells the cause to users who may see the view's text.
func (q *queryPlanner) viewError(v *kv.View, err error) error {
	below := mysqlerr.Is(err, mysqlerr.NoSuchTable, mysqlerr.BadDB, mysqlerr.BadField, mysqlerr.NonUniq,
		mysqlerr.SPDoesNotExist, mysqlerr.UnknownPartition, mysqlerr.PartitionClauseOnNonPart,
		mysqlerr.WrongNumberOfColumns)
	switch {
	case !below && !mysqlerr.Is(err, mysqlerr.ViewInvalid):
		return err
	case !q.Access.Has(rights.ShowView, v.Database, v.Name):
		return InvalidView(v, "")
	case below:
		return InvalidView(v, ": "+mysqlerr.Message(err))
	}
	return err
}

// InvalidView is error 1356 about a view; why is empty or begins with a colon.
func InvalidView(v *kv.View, why string) error {
	return mysqlerr.New(mysqlerr.ViewInvalid, "View '%s.%s' references invalid table(s) or column(s) or function(s) or "+
		"definer/invoker of view lack rights to use them%s", v.Database, v.Name, why)
}

// setViewColumns sets the columns of a view's relation: those of its SELECT under the names of the
// view.
func setViewColumns(r *relation.Relation, q *block.Query) error {
	names := schema.OfView(r.Definition).Columns
	if len(names) != len(q.Columns) {
		return InvalidView(r.Definition, ": its SELECT has another number of columns")
	}
	r.Columns = make([]relation.Column, len(names))
	for i, name := range names {
		r.Columns[i] = relation.Column{Name: name, Type: q.Columns[i].Type.OfColumn()}
	}
	r.NameColumns()
	return nil
}

// choose combines the choice of versions for a table in a view's text with that of the statement that reads
// the view, which applies if the text makes none.
func (r *readingView) choose(own versions.Choice) versions.Choice {
	switch {
	case r == nil || own.Period != nil || own.Versions != nil:
		return own
	case own.Times != nil:
		if own.Versions = r.choice.Versions; r.choice.Period.IsAll() {
			own.Versions = &clause.VersionsHint{All: true}
		}
		return own
	}
	return r.choice
}
