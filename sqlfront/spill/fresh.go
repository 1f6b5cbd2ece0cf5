package spill

import (
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// numbers is a bit set of numbers from 0 on, for concurrent use.
type numbers []atomic.Uint64

func (n numbers) add(number int64)      { n[number/64].Or(1 << (number % 64)) }
func (n numbers) has(number int64) bool { return n[number/64].Load()>>(number%64)&1 > 0 }

// findFresh finds the first row of each key.
func (s *Set) findFresh() error {
	of := []*Partitions{s.putOff}
	return EachPartition(s.space.opts.Workers, of, func(m *cancelcheck.Meter, p Partition) (*Partitions, error) {
		f := freshKeys{account: s.space.Account(), fresh: s.fresh}
		defer f.account.Release()
		err := Each(p.Rows(), func(row []value.Value) error {
			if err := f.add(p, row); err != nil {
				return err
			}
			return m.Step(cancelcheck.Row)
		})
		return f.rest, err
	})
}

// freshKeys has the keys of a partition that fit into memory; rest has the rows with other keys.
type freshKeys struct {
	fresh   numbers
	account Account
	keys    rowmem.KeyTable
	full    bool
	rest    *Partitions
}

func (f *freshKeys) add(p Partition, row []value.Value) error {
	number, key := row[0].Int(), row[1].Raw()
	hash := rowmem.KeyHash(key)
	if f.full {
		if f.keys.FindHash(hash, key) != rowmem.NoKey {
			return nil
		}
		if f.rest == nil {
			f.rest = p.Repartition()
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
