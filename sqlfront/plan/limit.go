package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// NewLimit reads a LIMIT clause; l may be nil. If carried is not nil, its literals become arguments.
func NewLimit(l *sqlparser.Limit, carried *bind.Arguments) (pipeline.Limit, error) {
	if l == nil {
		return pipeline.Limit{}, nil
	}
	out := pipeline.Limit{Present: true, Offset: clause.Operand{Param: -1}}
	var err error
	if l.Offset != nil {
		if out.Offset, err = limitNumber(l.Offset, carried); err != nil {
			return pipeline.Limit{}, err
		}
	}
	out.Count, err = limitNumber(l.Rowcount, carried)
	return out, err
}

func limitNumber(e sqlparser.Expr, carried *bind.Arguments) (clause.Operand, error) {
	switch e := e.(type) {
	case *ast.Param:
		return clause.Operand{Param: e.Index}, nil
	case *ast.Number:
		n, ok := pipeline.WholeNumber(e.Text)
		if i, carried := carried.Number(e); ok && e.Int && carried {
			return clause.Operand{Param: i}, nil
		}
		if ok && e.Int {
			return clause.Operand{Param: -1, Const: n}, nil
		}
	}
	return clause.Operand{}, pipeline.WrongLimit()
}
