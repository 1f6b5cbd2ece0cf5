package spill

import (
	"cmp"
	"math/bits"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Partition has all rows of some keys, of one or several Partitions that are divided in the same way.
type Partition struct {
	of     []*Partitions
	number int
}

// Rows returns the rows, and nil after the last: those of one of the Partitions after those of
// another, each in the order of arrival. Its errors are those of [Space].
func (p Partition) Rows() func() ([]value.Value, error) {
	var pieces []run
	for _, s := range p.of {
		pieces = append(pieces, s.each[p.number].pieces...)
	}
	var r reader
	r.openAll(pieces, p.of[0].block)
	return r.read
}

// Repartition makes Partitions for the rows that do not fit in memory. Each part is likely to fit in
// the least memory available.
func (p Partition) Repartition() *Partitions {
	bytes := int64(0)
	for _, s := range p.of {
		for _, piece := range s.each[p.number].pieces {
			bytes += piece.end - piece.start + int64(len(piece.kept))
		}
	}
	s := p.of[0].space
	return s.newPartitions(p.of[0].depth+1, 1<<bits.Len64(uint64(2*bytes/max(s.floor(), 1))))
}

// EachPartition ends the adding and calls look for each partition, on several goroutines. look
// returns rows that do not fit in memory, partitioned again; these are processed later. Its errors
// are those of [Space].
func EachPartition(workers int, of []*Partitions,
	look func(m *cancelcheck.Meter, p Partition) (again *Partitions, err error)) error {
	for _, s := range of {
		if err := s.End(); err != nil {
			return err
		}
	}
	first := of[0]
	if first.file == nil {
		workers = 1 // there are few rows
	}
	return cancelcheck.Share(first.space.ctx, workers, len(first.each), func(m *cancelcheck.Meter, number int) error {
		return lookInto(m, Partition{of, number}, look)
	})
}

// lookInto processes a partition, and then the rows that look has returned of it, whose files are
// removed before the next partition; otherwise there would be as many files as partitions that were
// divided again.
func lookInto(m *cancelcheck.Meter, p Partition, look func(m *cancelcheck.Meter, p Partition) (*Partitions, error)) error {
	again, err := look(m, p)
	if again == nil {
		return err
	}
	err = cmp.Or(err, again.End())
	for number := 0; number < len(again.each) && err == nil; number++ {
		err = lookInto(m, Partition{[]*Partitions{again}, number}, look)
	}
	return cmp.Or(err, again.Close())
}
