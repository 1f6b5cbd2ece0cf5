package advise

import (
	"math"
	"time"
)

// partitionBytes is the maximum size of a partition, so that it can be moved,
// checked and copied at once.
const partitionBytes = 100 << 30

// countAdvice is a number of partitions and the reason for it.
type countAdvice struct {
	n int
	// factor is the expected growth; known says that it is derived from T.
	factor float64
	known  bool
	years  float64
}

// fewestPartitions is enough for the writers of one machine.
const fewestPartitions = 7

// mostPartitions is the largest prime up to which each partition is worth what
// it costs statements that read all of them.
const mostPartitions = 997

// partitionCount is the smallest prime for which no partition exceeds
// partitionBytes after the table has grown.
func partitionCount(t *advisedTable, years float64) countAdvice {
	c := countAdvice{factor: 10, years: years}
	if rows := t.sample.byTime(); len(rows) > 0 {
		if span := spanOf(rows); span >= 7*24*time.Hour {
			c.factor, c.known = 1+years*float64(365*24*time.Hour)/float64(span), true
		}
	}
	least := math.Ceil(float64(t.bytes()) * c.factor / partitionBytes)
	c.n = prime(int(min(max(least, fewestPartitions), mostPartitions)))
	return c
}

// prime is the first prime that is at least n.
func prime(n int) int {
	for ; ; n++ {
		divisible := false
		for d := 2; d*d <= n; d++ {
			divisible = divisible || n%d == 0
		}
		if n > 1 && !divisible {
			return n
		}
	}
}

// counts is how many of something each partition has.
type counts []int64

func (c counts) total() (n int64) {
	for _, each := range c {
		n += each
	}
	return n
}

func (c counts) skew() Skew { return NewSkew(c) }

// share is the largest part as a fraction of the whole.
func (c counts) share() float64 {
	return c.skew().MaxMean / float64(max(len(c), 1))
}

// chance is roughly the ratio of the largest part to the mean that a random
// distribution would have.
func (c counts) chance() float64 {
	n, total := float64(len(c)), float64(max(c.total(), 1))
	return 1 + math.Sqrt(2*math.Log(max(n, 2))*n/total)
}
