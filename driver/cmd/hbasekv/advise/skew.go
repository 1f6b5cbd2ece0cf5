package advise

import (
	"fmt"
	"slices"
)

// Skew is how unevenly something is spread over partitions.
type Skew struct {
	// MaxMean is the ratio of the largest part to the mean: 1 if all parts are
	// equal, and the number of parts if one has everything.
	MaxMean float64
	// Gini is the Gini coefficient: 0 if all parts are equal, near 1 if a few
	// have everything.
	Gini float64
	// Largest is the ordinal of the largest part.
	Largest int
}

// NewSkew computes the skew of parts; without parts it is the zero value.
func NewSkew(parts []int64) Skew {
	sorted := slices.Sorted(slices.Values(parts))
	var total, weighted float64
	for i, p := range sorted {
		total += float64(p)
		weighted += float64(i+1) * float64(p)
	}
	n := float64(len(parts))
	if total == 0 {
		return Skew{}
	}
	last := sorted[len(sorted)-1]
	return Skew{
		MaxMean: float64(last) * n / total,
		Gini:    2*weighted/(n*total) - (n+1)/n,
		Largest: slices.Index(parts, last),
	}
}

// String returns the skew in words and numbers. A hash distributes rows of
// equal size with a coefficient below 0.2 as soon as a partition has some
// dozens.
func (s Skew) String() string {
	word := "very uneven, a few partitions hold most"
	switch {
	case s.Gini < 0.2 && s.MaxMean < 1.5:
		word = "even"
	case s.Gini < 0.4:
		word = "somewhat uneven"
	case s.Gini < 0.6:
		word = "uneven"
	}
	return fmt.Sprintf("%s: max/mean %.2f, Gini %.2f", word, s.MaxMean, s.Gini)
}
