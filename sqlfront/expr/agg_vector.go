package expr

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TakesVectors reports whether states take many rows at a time, by AddVectors: then
// they give no warnings before their result where the arguments of sums are numbers.
func (a *Aggregate) TakesVectors() bool { return a.Quiet() || a.fn.grows }

// Quiet reports whether states neither warn nor fail where the arguments of sums are numbers.
func (a *Aggregate) Quiet() bool {
	switch a.Name {
	case "COUNT", "SUM", "AVG", "MIN", "MAX", "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP":
		return true
	}
	return false
}

// OfNumbers reports whether the argument is taken for a number.
func (a *Aggregate) OfNumbers() bool {
	return a.Quiet() && a.Name != "COUNT" && a.Name != "MIN" && a.Name != "MAX"
}

// AddVectors takes rows into the group, in their order: as AddArgs of each that counts. The
// vectors are the arguments, and behind them the values of ORDER BY.
func (s *aggState) AddVectors(env *Env, args []*value.Vector, rows []int32) error {
	if s.seen == nil && len(args) <= 1 {
		switch acc := s.acc.(type) {
		case *countAcc:
			acc.n += countKnown(args, rows)
			return nil
		case *sumAcc:
			if acc.takesVector(args[0]) {
				return acc.addVector(env, args[0], rows)
			}
		case *avgAcc:
			if acc.sum.takesVector(args[0]) {
				return acc.sum.addVector(env, args[0], rows)
			}
		case *extremeAcc:
			return acc.addBest(env, args[0], rows)
		}
	}
	if s.seen != nil && len(rows) > 1 {
		rows = s.memory.repeats.drop(args, rows)
	}
	for _, i := range rows {
		if !s.agg.fn.nulls && anyNull(args[:len(s.agg.Args)], i) {
			continue
		}
		if err := s.AddArgs(env, s.memory.argsAt(args, i)); err != nil {
			return err
		}
	}
	return nil
}

func anyNull(args []*value.Vector, i int32) bool {
	return slices.ContainsFunc(args, func(v *value.Vector) bool { return v.IsNull(i) })
}

// repeats finds rows of which a like one came before among those of a vector: a set need
// not be asked about these. To count the different values of 300,000 rows in 300 groups of
// 76 different ones takes 47 ms of processor time so, and 60 where the set is always asked
// (benchmark Reports, distinctby).
type repeats struct {
	hashes []uint32 // of the rows
	last   []int32  // by hashes, plus 1: 0 is none
	rows   []int32
}

// drop gives the rows without some that are like one before; they are valid until the
// next call.
func (r *repeats) drop(args []*value.Vector, rows []int32) []int32 {
	r.hashes = append(r.hashes[:0], make([]uint32, len(rows))...)
	for _, v := range args {
		v.AddHashes(rows, r.hashes)
	}
	size := 2 << bits.Len(uint(len(rows)))
	r.last, r.rows = append(r.last[:0], make([]int32, size)...), r.rows[:0]
	for at, i := range rows {
		last := &r.last[int(r.hashes[at])&(size-1)]
		if *last > 0 && value.SameRows(args, *last-1, i) {
			continue
		}
		*last = i + 1
		r.rows = append(r.rows, i)
	}
	return r.rows
}

// countKnown is how many of the rows have no NULL.
func countKnown(args []*value.Vector, rows []int32) (n int64) {
	if len(args) == 0 || args[0].Nulls == nil && args[0].Kind != value.Bytes && args[0].Kind != value.Null {
		return int64(len(rows))
	}
	for _, i := range rows {
		if !args[0].IsNull(i) {
			n++
		}
	}
	return n
}

func (s *sumAcc) takesVector(v *value.Vector) bool {
	return v.Kind == value.Float || v.Kind == value.Int && !s.floats
}

func (s *sumAcc) addVector(env *Env, v *value.Vector, rows []int32) error {
	if v.Kind == value.Int {
		return s.addInts(env, v, rows)
	}
	s.addFloats(v, rows)
	return nil
}

// addFloats adds doubles, as texts are taken for: AVG of a column of a pivot for each value of
// another one, of a million cells, takes 73 ms of processor time so, and 79 where each is an
// argument (benchmark Reports, pivot2avg).
func (s *sumAcc) addFloats(v *value.Vector, rows []int32) {
	for _, i := range rows {
		if !v.IsNull(i) {
			s.double.add(v.Floats[i])
			s.rows++
			s.floats = true
		}
	}
}

func (s *sumAcc) addInts(env *Env, v *value.Vector, rows []int32) error {
	for _, i := range rows {
		if v.Nulls != nil && v.Nulls[i] {
			continue
		}
		if sum := s.small + v.Ints[i]; (sum > s.small) == (v.Ints[i] > 0) {
			s.small = sum
			s.rows++
		} else if err := s.add(env, []value.Value{v.At(i)}); err != nil {
			return err
		}
	}
	return nil
}

// addBest adds the first of the least or greatest values.
func (e *extremeAcc) addBest(env *Env, v *value.Vector, rows []int32) error {
	best := bestOf(e.sign, v, rows)
	if best < 0 {
		return nil
	}
	return e.add(env, []value.Value{v.At(best)})
}

// bestOf is the first row with the least or greatest value, or -1 where all are NULL.
func bestOf(sign int, v *value.Vector, rows []int32) int32 {
	if v.Kind == value.Int && v.Nulls == nil {
		return bestInt(sign, v.Ints, rows)
	}
	best := int32(-1)
	for _, i := range rows {
		if !v.IsNull(i) && (best < 0 || Better(sign, v, i, best)) {
			best = i
		}
	}
	return best
}

// bestInt is bestOf integers: 1 ns a row instead of 4.
func bestInt(sign int, ints []int64, rows []int32) int32 {
	if len(rows) == 0 {
		return -1
	}
	at := rows[0]
	best := ints[at]
	for _, i := range rows[1:] {
		if x := ints[i]; x != best && x > best == (sign > 0) {
			at, best = i, x
		}
	}
	return at
}

// Better reports whether the value at i is greater than that at j, or less where sign
// is -1. Neither is NULL.
func Better(sign int, v *value.Vector, i, j int32) bool {
	switch v.Kind {
	case value.Int:
		return v.Ints[i] != v.Ints[j] && (v.Ints[i] > v.Ints[j]) == (sign > 0)
	case value.Bytes:
		return bytes.Compare(v.Bytes[i], v.Bytes[j])*sign > 0
	}
	order, _ := value.Compare(v.At(i), v.At(j))
	return order*sign > 0
}
