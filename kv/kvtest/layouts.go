package kvtest

import (
	"fmt"
	"math"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// Layout is a way to partition tables.
type Layout struct {
	Name   string
	Scheme *partition.Scheme
}

// Layouts are the partitionings on which everything must give the same
// answers.
func Layouts() []Layout {
	return []Layout{
		{"None", &partition.Scheme{}},
		{"Key1", must(partition.NewKey(1))},
		{"Key7", must(partition.NewKey(7))},
		{"PrefixKey", must(partition.NewPrefixKey(3, 1))},
		{"Range", must(partition.NewRange(
			[]string{"p0", "p1", "p2", "p3", "pmax"},
			[][]byte{[]byte("\x00\x01"), []byte("a"), []byte("a\x00"), []byte("b"), nil}))},
	}
}

// SlicedLayouts are partitionings by time, alone and with others, on which
// everything must give the same answers but for the smallest timestamp, which
// they do not take.
func SlicedLayouts() []Layout {
	none, two, three := &partition.Scheme{}, must(partition.NewKey(2)), must(partition.NewKey(3))
	ranges := must(partition.NewRange([]string{"p0", "p1", "pmax"}, [][]byte{[]byte("a\x00"), []byte("b"), nil}))
	return []Layout{
		{"Slices", sliced(none, true, true, 1, 3)},
		{"SlicesKey", sliced(two, true, true, 2)},
		{"KeySlices", sliced(three, false, true, 1, 2, 3)},
		{"RangeSlices", sliced(ranges, false, true, 0, 2)},
	}
}

// closedLayout has no place for some rows, nor for some times.
func closedLayout() Layout {
	ranges := must(partition.NewRange([]string{"p0", "p1"}, [][]byte{[]byte("a\x01"), []byte("\xff")}))
	return Layout{"ClosedSlices", sliced(ranges, false, false, -3, 1, 3, math.MaxInt64)}
}

// sliced are the partitions cut by time too, at s0, s1 and so on and with max
// behind them, above or below the cut by rows.
func sliced(rows *partition.Scheme, outer, max bool, upper ...int64) *partition.Scheme {
	by := &partition.Slices{Upper: upper, Max: max, Outer: outer}
	for i := range upper {
		by.Names = append(by.Names, fmt.Sprintf("s%d", i))
	}
	if max {
		by.Names = append(by.Names, "max")
	}
	return must(rows.Sliced(by))
}

// allLayouts are those of the random part.
func allLayouts() []Layout { return append(append(Layouts(), SlicedLayouts()...), closedLayout()) }

// oldest is the smallest timestamp that the layout takes.
func (l Layout) oldest() int64 {
	if l.Scheme.Slices() != nil {
		return math.MinInt64 + 1
	}
	return math.MinInt64
}

func must(s *partition.Scheme, err error) *partition.Scheme {
	if err != nil {
		panic(err)
	}
	return s
}

// Table is the descriptor of a new table of the layout. A name "group$family"
// makes it a family.
func (l Layout) Table(name string) kv.Table {
	t := kv.Table{
		Database: database, Name: name, Partitioning: l.Scheme,
		MaxRow: 1024, MaxQualifier: 256,
		Value: kv.ValueType{Kind: "varbinary", Max: 1 << 20, Nullable: true},
	}
	if group, family, ok := strings.Cut(name, "$"); ok {
		t.Group, t.Family = group, family
	}
	return t
}
