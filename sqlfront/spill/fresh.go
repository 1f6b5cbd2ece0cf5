package spill

import (
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// numbers are numbers from 0 on. Several goroutines may add to them at the same time.
type numbers []atomic.Uint64

func (n numbers) add(number int64)      { n[number/64].Or(1 << (number % 64)) }
func (n numbers) has(number int64) bool { return n[number/64].Load()>>(number%64)&1 > 0 }

// findFresh finds the first rows of each key.
func (s *Set) findFresh() error {
	return EachShare(s.space.opts.Workers, []*Shares{s.putOff}, func(m *steps.Meter, p Share) (*Shares, error) {
		f := freshKeys{account: s.space.Account(), fresh: s.fresh}
		defer f.account.Release()
		err := Each(p.Rows(), func(row []value.Value) error {
			if err := f.add(p, row); err != nil {
				return err
			}
			return m.Step(steps.Row)
		})
		return f.rest, err
	})
}

// freshKeys are the keys of a share for which there is memory; rest are the rows of others.
type freshKeys struct {
	fresh   numbers
	account Account
	keys    rowmem.KeyTable
	full    bool
	rest    *Shares
}

// add looks at a row.
func (f *freshKeys) add(p Share, row []value.Value) error {
	number, key := row[0].Int(), row[1].Raw()
	hash := rowmem.KeyHash(key)
	if f.full {
		if f.keys.FindHash(hash, key) != rowmem.NoKey {
			return nil
		}
		if f.rest == nil {
			f.rest = p.Again()
		}
		return f.rest.Add(hash, row[:2])
	}
	if _, isNew := f.keys.AddHash(hash, key); isNew {
		f.fresh.add(number)
		f.account.Grow(len(key) + setOverhead)
		f.full = f.account.Full()
	}
	return nil
}
