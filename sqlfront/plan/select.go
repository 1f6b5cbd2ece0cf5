package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/physical"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// Select is a planned SELECT or UNION. It is immutable and valid for the version of the catalog that it was
// planned with, which the snapshot that it is opened on must have.
type Select struct {
	// Columns describe the result.
	Columns []relation.Column
	exec.Select
	reads []*relation.Relation
	from  *relation.Scope // nil if its names mean something else than columns of rows, as in a UNION
}

// Select plans a SELECT. parsed is the statement that s is a part of. Its errors are MySQL's about names,
// types and privileges, those of the store's catalog, and cancellation.
func (p *Planner) Select(parsed *ast.Parsed, s *ast.Select) (*Select, error) {
	return p.selectRows(parsed, s, nil, 0)
}

// SelectPlain is Select for rows that will be changed, which cannot be aggregated (1111). targets are the
// relations that are changed. own is the number of leading items that are not in the text of the statement,
// for which no privilege to read is needed.
func (p *Planner) SelectPlain(
	parsed *ast.Parsed, s *ast.Select, targets []*relation.Relation, own int,
) (*Select, error) {
	return p.selectRows(parsed, s, targets, own)
}

func (p *Planner) selectRows(
	parsed *ast.Parsed, s *ast.Select, targets []*relation.Relation, own int,
) (*Select, error) {
	plain := targets != nil
	q := newQueryPlanner(p, parsed, s.Hints)
	q.targets, q.own = targets, own
	q.lockWait = s.LockWait
	if plain {
		q.changed = s.Node
	}
	planned, err := q.query(s.Node, nil)
	if err == nil {
		err = physical.Complete(planned)
	}
	if err != nil {
		return nil, err
	}
	out := &Select{Columns: planned.Columns, Select: exec.Select{Query: planned.Out, CountAll: s.CalcFoundRows}, reads: q.reads}
	if b := planned.Block; b != nil {
		if b.Out.Changes = plain; !b.Aggregated {
			out.from = b.Scope
		}
	}
	return out, nil
}

// Has reports whether a name means a column in FROM, for a SELECT without groups that is not a UNION.
func (s *Select) Has(table, column string) bool { return s.from != nil && s.from.Has(table, column) }
