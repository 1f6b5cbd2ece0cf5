package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// NewLimit reads a LIMIT clause; l may be nil.
func NewLimit(l *sqlparser.Limit) (Limit, error) {
	if l == nil {
		return Limit{}, nil
	}
	out := Limit{Present: true, Offset: Operand{Param: -1}}
	var err error
	if l.Offset != nil {
		if out.Offset, err = limitNumber(l.Offset); err != nil {
			return Limit{}, err
		}
	}
	out.Count, err = limitNumber(l.Rowcount)
	return out, err
}

func limitNumber(e sqlparser.Expr) (Operand, error) {
	switch e := e.(type) {
	case *parse.Param:
		return Operand{Param: e.Index}, nil
	case *parse.Number:
		if n, ok := WholeNumber(e.Text); ok && e.Int {
			return Operand{Param: -1, Const: n}, nil
		}
	}
	return Operand{}, WrongLimit()
}
