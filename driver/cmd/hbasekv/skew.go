package main

import (
	"fmt"
	"slices"
)

// skew is how unevenly something is spread over partitions.
type skew struct {
	// maxMean is the largest part over the mean: 1 where all are alike, and
	// the number of parts where one has all.
	maxMean float64
	// gini is the Gini coefficient: 0 where all are alike, near 1 where few
	// have all.
	gini    float64
	largest int // the ordinal of the largest part
}

func newSkew(parts []int64) skew {
	sorted := slices.Sorted(slices.Values(parts))
	var total, weighted float64
	for i, p := range sorted {
		total += float64(p)
		weighted += float64(i+1) * float64(p)
	}
	n := float64(len(parts))
	if total == 0 {
		return skew{}
	}
	last := sorted[len(sorted)-1]
	return skew{
		maxMean: float64(last) * n / total,
		gini:    2*weighted/(n*total) - (n+1)/n,
		largest: slices.Index(parts, last),
	}
}

// String says it in words and numbers. A hash spreads rows of one size with a
// coefficient below 0.2 as soon as a partition has some dozens.
func (s skew) String() string {
	word := "very uneven, a few partitions hold most"
	switch {
	case s.gini < 0.2 && s.maxMean < 1.5:
		word = "even"
	case s.gini < 0.4:
		word = "somewhat uneven"
	case s.gini < 0.6:
		word = "uneven"
	}
	return fmt.Sprintf("%s: max/mean %.2f, Gini %.2f", word, s.maxMean, s.gini)
}
