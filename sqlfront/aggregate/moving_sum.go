package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// movingSum is SUM and AVG of a frame from which rows are removed.
type movingSum struct {
	sumAcc        // of exact numbers; its rows include those with doubles
	doubles int64 // rows with doubles
	double  exactSum
}

func newMovingSum(a *setfunc.Aggregate) *movingSum { return &movingSum{sumAcc: newSum(a)} }

func (s *movingSum) add(_ *expr.Env, args []value.Value) error {
	s.count(args[0], 1)
	return nil
}

func (s *movingSum) remove(args []value.Value) error {
	s.count(args[0], -1)
	return nil
}

// count adds a number, or subtracts it if sign is -1.
func (s *movingSum) count(v value.Value, sign int) {
	s.rows += int64(sign)
	if s.floats || v.Kind() == value.Float || v.Kind() == value.JSON {
		s.doubles += int64(sign)
		s.double.add(float64(sign) * v.AsFloat())
		return
	}
	s.addExact(v, sign)
}

func (s *movingSum) result() (value.Value, error) {
	if s.doubles == 0 {
		return s.sumAcc.result()
	}
	sum := s.double.float()
	if total := s.total(); !total.IsZero() {
		sum += value.NewDecimal(total).AsFloat()
	}
	return s.ofDouble(sum)
}
