package spill

import (
	"cmp"
	"math/bits"

	"github.com/hbasekv/hbasekv/sqlfront/steps"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Share is all rows of some keys, of Shares that are divided alike.
type Share struct {
	of     []*Shares
	number int
}

// Rows gives the rows, nil behind the last: those of one of the Shares after those of another,
// of each in the order of arrival.
func (p Share) Rows() func() ([]value.Value, error) {
	var pieces []run
	for _, s := range p.of {
		pieces = append(pieces, s.each[p.number].pieces...)
	}
	var r reader
	r.openAll(pieces, p.of[0].block)
	return r.read
}

// Again makes Shares for those of the rows for which there is no memory, as many as are likely
// to fit into the least that there is.
func (p Share) Again() *Shares {
	bytes := int64(0)
	for _, s := range p.of {
		for _, piece := range s.each[p.number].pieces {
			bytes += piece.end - piece.start + int64(len(piece.kept))
		}
	}
	s := p.of[0].space
	return s.newShares(p.of[0].depth+1, 1<<bits.Len64(uint64(2*bytes/max(s.floor(), 1))))
}

// EachShare ends the adding to Shares and looks at all of their shares, on several goroutines.
// Rows for which look has no memory it gives back, divided Again, to be looked at later.
func EachShare(workers int, of []*Shares, look func(m *steps.Meter, p Share) (again *Shares, err error)) error {
	for _, s := range of {
		if err := s.End(); err != nil {
			return err
		}
	}
	first := of[0]
	if first.file == nil {
		workers = 1 // for so few rows
	}
	return steps.Share(first.space.ctx, workers, len(first.each), func(m *steps.Meter, number int) error {
		return lookThrough(m, Share{of, number}, look)
	})
}

// lookThrough looks at a share, and then at what that gives back, which is given up before the
// next share is looked at: else there would be as many files as what is divided again.
func lookThrough(m *steps.Meter, p Share, look func(m *steps.Meter, p Share) (*Shares, error)) error {
	again, err := look(m, p)
	if again == nil {
		return err
	}
	err = cmp.Or(err, again.End())
	for number := 0; number < len(again.each) && err == nil; number++ {
		err = lookThrough(m, Share{[]*Shares{again}, number}, look)
	}
	return cmp.Or(err, again.Close())
}
