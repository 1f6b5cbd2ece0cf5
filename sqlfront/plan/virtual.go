package plan

import (
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// virtualNode reads a catalog table.
type virtualNode struct {
	relation *Relation
	first    int
	where    expr.Node
}

type virtualScan struct {
	*virtualNode
	x     *exec
	rows  RowSource
	given int64
}

func (n *virtualNode) open(x *exec, _ request) (source, grant, error) {
	return &virtualScan{virtualNode: n, x: x}, grant{}, nil
}

func (s *virtualScan) env() *expr.Env { return &s.x.env }

func (s *virtualScan) next() (bool, error) {
	if s.rows == nil {
		equal, err := s.equal()
		if err != nil {
			return false, err
		}
		if s.rows, err = s.relation.virtual.Rows(s.x.c, equal); err != nil {
			return false, err
		}
	}
	for {
		row, err := s.rows.Next()
		if err == io.EOF {
			return false, nil
		}
		if err == nil {
			err = s.x.tick()
		}
		if err != nil {
			return false, err
		}
		copy(s.x.env.Row[s.first:], row)
		if ok, err := expr.Holds(s.where, &s.x.env); ok || err != nil {
			s.given++
			return ok, err
		}
	}
}

// equal are the columns that the condition sets equal to constants.
func (s *virtualScan) equal() ([]Equal, error) {
	var out []Equal
	for _, n := range expr.Conjuncts(s.where) {
		c, ok := n.(*expr.Compare)
		if !ok || c.Op != expr.Eq {
			continue
		}
		for _, side := range [][2]expr.Node{{c.L, c.R}, {c.R, c.L}} {
			column, ok := side[0].(*expr.Column)
			if !ok || !expr.IsConst(side[1]) {
				continue
			}
			v, err := side[1].Eval(&s.x.env)
			if err != nil {
				return nil, err
			}
			out = append(out, Equal{Column: column.Index - s.first, Value: v})
		}
	}
	return out, nil
}

func (s *virtualScan) close() error {
	if s.rows == nil {
		return nil
	}
	return s.rows.Close()
}
