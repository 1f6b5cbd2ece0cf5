package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// bindVirtual binds the virtual columns of a typed table, which may refer to each other. nodes are the
// columns of the frame for the stored ones.
func (b *blockPlanner) bindVirtual(l *block.Leaf, nodes []*expr.Column) error {
	face := l.Relation.Typed
	if face == nil || !face.HasVirtual() {
		return nil
	}
	l.Virtual = make([]expr.Node, len(face.Columns))
	for i := range face.Columns {
		if !face.IsVirtual(i) {
			continue
		}
		_, e, err := relation.ParseValue(face.Columns[i].Generated.Text)
		if err != nil {
			return err
		}
		x, err := b.bind(e, "field list", ofRow{face, nodes, l.Virtual}, false)
		if err != nil {
			return err
		}
		l.Virtual[i] = face.VirtualOf(x, i)
	}
	return nil
}

// ofRow is the scope in which a typed table's virtual columns are bound.
type ofRow struct {
	face    *typed.Table
	columns []*expr.Column
	virtual []expr.Node // bound so far
}

// Resolve finds a column.
func (r ofRow) Resolve(_, column string) (expr.Node, error) {
	i := r.face.Column(column)
	switch {
	case i < 0:
		return nil, mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'generated column function'", column)
	case r.face.IsVirtual(i):
		return r.virtual[i], nil
	}
	return r.columns[i], nil
}
