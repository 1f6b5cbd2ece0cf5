package rowkey

import (
	"fmt"
	"strings"

	"github.com/spaolacci/murmur3"

	"github.com/hbasekv/hbasekv/partition"
)

// maxBuckets is the number of values of one byte, as in Phoenix (https://phoenix.apache.org/salted.html).
const maxBuckets = 256

func checkBuckets(buckets int) error {
	if buckets < 1 || buckets > maxBuckets {
		return fmt.Errorf("%w: %d", ErrBuckets, buckets)
	}
	return nil
}

// Salt returns the row with one byte in front, its bucket from 0 to buckets-1. A hash of the row
// decides the bucket: consecutive rows are spread over the buckets, and a row's key can be computed
// from the row. The hash is the first half of Murmur3's 128-bit x64 variant with seed 0. It fails
// with ErrBuckets.
func Salt(row []byte, buckets int) ([]byte, error) {
	if err := checkBuckets(buckets); err != nil {
		return nil, err
	}
	bucket := murmur3.Sum64(row) % uint64(buckets)
	return append([]byte{byte(bucket)}, row...), nil
}

// Unsalt returns the row without the byte of its bucket.
func Unsalt(salted []byte) []byte {
	return append([]byte{}, salted[min(1, len(salted)):]...)
}

// SaltRanges returns the ranges of salted rows, one in each bucket and ascending, that together
// hold the rows of r. All buckets must be read, including the last one. It fails with ErrBuckets.
func SaltRanges(r partition.RowRange, buckets int) ([]partition.RowRange, error) {
	if err := checkBuckets(buckets); err != nil {
		return nil, err
	}
	out := make([]partition.RowRange, buckets)
	for i := range out {
		out[i] = inBucket(r, byte(i))
	}
	return out, nil
}

func inBucket(r partition.RowRange, bucket byte) partition.RowRange {
	out := partition.RowRange{Start: append([]byte{bucket}, r.Start...)}
	switch {
	case r.End != nil:
		out.End = append([]byte{bucket}, r.End...)
	case bucket < maxBuckets-1:
		out.End = []byte{bucket + 1}
	}
	return out
}

// SaltCondition returns an SQL condition, in parentheses, and its arguments, which holds for the
// rows of SaltRanges. The driver reads it as one scan per bucket. The column is written as given.
// It fails with ErrBuckets.
func SaltCondition(column string, r partition.RowRange, buckets int) (condition string, args []any, err error) {
	ranges, err := SaltRanges(r, buckets)
	if err != nil {
		return "", nil, err
	}
	terms := make([]string, len(ranges))
	for i, r := range ranges {
		terms[i] = column + " >= ?"
		args = append(args, r.Start)
		if r.End != nil {
			terms[i] += " AND " + column + " < ?"
			args = append(args, r.End)
		}
	}
	return "(" + strings.Join(terms, " OR ") + ")", args, nil
}
