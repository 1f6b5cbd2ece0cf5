package parts

import (
	"bytes"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// Ranged are the ranges that RANGE COLUMNS defines. For SPLITS (...) they are the ranges p0, p1 and so on
// between the points, like the regions that HBase's shell creates.
func (r *Rows) Ranged(by *ast.PartitionBy) (*partition.Scheme, error) {
	if len(by.Splits) > 0 {
		points, err := r.splits(by)
		if err != nil {
			return nil, err
		}
		return partition.NewSplit(points)
	}
	if len(by.Defs) == 0 {
		return nil, Undefined()
	}
	if err := CheckCount(by); err != nil {
		return nil, err
	}
	names, upper, err := r.Ranges(by.Defs)
	if err != nil {
		return nil, err
	}
	return partition.NewRange(names, upper)
}

func (r *Rows) splits(by *ast.PartitionBy) ([][]byte, error) {
	if len(by.Defs) > 0 {
		return nil, mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of SPLITS and PARTITION definitions: the splits make the partitions")
	}
	if by.Counted && by.Partitions != len(by.Splits)+1 {
		return nil, mysqlerr.New(mysqlerr.PartitionWrongCount, "Wrong number of partitions defined, mismatch with previous setting: %d splits make %d partitions",
			len(by.Splits), len(by.Splits)+1)
	}
	return r.Points(by.Splits)
}

// SplitPoints are the rows that SPLIT TABLE lists, or that are spread evenly between two. For a typed table
// without partitions they decide by how many columns of the key it is partitioned: see Columns.
func (r *Rows) SplitPoints(st *ast.SplitTable, partitioned bool) ([][]byte, error) {
	given := st.By
	if st.From != nil {
		given = [][]ast.PartValue{st.From, st.To}
	}
	if r.Face != nil && !partitioned {
		if r.Columns = len(given[0]); r.Columns > len(r.Face.Key) {
			return nil, inconsistent("a split point")
		}
	}
	if r.Face != nil {
		if err := r.checkTypes(); err != nil {
			return nil, err
		}
	}
	rows, err := r.Points(given)
	if err != nil || st.From == nil {
		return rows, err
	}
	return r.between(rows[0], rows[1], st.Regions)
}

// between are the rows that split the range between two rows into this number of regions.
func (r *Rows) between(from, to []byte, regions int) ([][]byte, error) {
	switch {
	case regions < 1:
		return nil, invalidSplit("the number of regions must be at least 1")
	case regions > partition.MaxPartitions:
		return nil, partition.ErrTooMany
	case regions == 1:
		return nil, nil
	}
	points := partition.Between(from, to, regions)
	if points == nil {
		return nil, invalidSplit("lower value " + lex.QuoteBytes(from) + " should be less than the upper value " +
			lex.QuoteBytes(to) + ", with room between them")
	}
	if r.Face == nil {
		return points, nil
	}
	return r.whole(points)
}

// whole rounds points to values: keys of a typed table whose parts have a fixed length.
func (r *Rows) whole(points [][]byte) ([][]byte, error) {
	notBetween := mysqlerr.Unsupported("SPLIT TABLE ... BETWEEN of columns that are not integers: list the points, BY (...), (...)")
	size, fixed := r.Face.HashedBytes(r.Columns)
	if !fixed {
		return nil, notBetween
	}
	for i, p := range points {
		if len(p) < size {
			p = append(bytes.Clone(p), make([]byte, size-len(p))...)
		}
		points[i] = p[:min(size, len(p))]
		if _, ok := r.Face.Bounded(r.Columns, points[i]); !ok {
			return nil, notBetween
		}
		if i > 0 && bytes.Equal(points[i], points[i-1]) {
			return nil, invalidSplit("there are too few values between the lower and the upper value")
		}
	}
	return points, nil
}

func invalidSplit(why string) error {
	return mysqlerr.New(mysqlerr.InvalidSplitRegionRanges, "Failed to split region ranges: %s", why)
}
