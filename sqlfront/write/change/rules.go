package change

import (
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// Rules binds the constraints, defaults and generated columns for writing rows of a typed table.
func (p *Preparer) Rules(r *relation.Relation) (out typed.Rules, err error) {
	for _, c := range r.Typed.Checks {
		if c.NotEnforced {
			continue
		}
		n, err := p.RowValue(r, c.Text)
		if err != nil {
			return out, err
		}
		out.Checks = append(out.Checks, typed.BoundCheck{Name: c.Name, Node: n})
	}
	for i := range r.Typed.Columns {
		c := &r.Typed.Columns[i]
		switch {
		case c.Generated != nil:
			out.Generated, err = p.appendBound(out.Generated, r, i, c.Generated.Text)
		case c.Default != nil && c.Default.Expr != "":
			out.Defaults, err = p.appendBound(out.Defaults, r, i, c.Default.Expr)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func (p *Preparer) appendBound(list []typed.BoundColumn, r *relation.Relation, column int, text string) ([]typed.BoundColumn, error) {
	n, err := p.RowValue(r, text)
	return append(list, typed.BoundColumn{Column: column, Node: n}), err
}
