package spill

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
)

// fewAlike is the average number of rows of a key up to which Cluster does not move the rows.
const fewAlike = 4

// Cluster moves the rows of each key next to each other, if keys have many rows and there is memory
// for the copy. It must be called between SealBy and the first Find; the hash table is rebuilt on
// several goroutines. A reader of all rows of one key then touches few cache lines. A pivot of
// 1,000,000 rows in 97 partitions, joined with 110,000 rows on a column, 22 matches each, takes 1.3 s
// of processor time with it, and 2.0 to 2.5 s without. In one partition, where the order of K brings
// the same matches together, it takes 1.0 s either way (November 2026). Its errors are those of
// [Space].
func (x *Index) Cluster(workers int) error {
	if x.spilled || x.Len() < manyRows || x.Len() < fewAlike*x.table.keys() {
		return nil
	}
	twice := int(x.account.own)
	x.account.Grow(twice)
	defer x.account.Grow(-twice)
	if x.account.Full() {
		return nil
	}
	to, err := x.clustered(&cancelcheck.Meter{Ctx: x.space.ctx})
	if err != nil {
		return err
	}
	x.keptRows, x.table = to, rowTable{}
	return x.table.build(x.space.ctx, &x.keptRows, workers)
}

// clustered returns a copy of the rows grouped by keys, in the order of the first row of each.
func (x *Index) clustered(m *cancelcheck.Meter) (to keptRows, err error) {
	to.kinds = x.kinds
	moved := make([]bool, x.Len())
	for i := range moved {
		if moved[i] {
			continue
		}
		for f := (Found{int32(i), 1 + x.table.links[i].more}); f.Len > 0; f = x.After(f) {
			moved[f.First] = true
			to.addFrom(&x.keptRows, f.First)
			if err := m.Step(cancelcheck.Row); err != nil {
				return to, err
			}
		}
	}
	return to, nil
}

// addFrom adds a copy of a row of others.
func (k *keptRows) addFrom(others *keptRows, i int32) {
	if k.stores == nil || k.full() {
		k.stores = append(k.stores, &rowmem.Store{})
	}
	last, p := len(k.stores)-1, others.places[i]
	k.places = append(k.places, rowPlace{uint32(last), k.stores[last].AddFrom(others.stores[p.store], p.at)})
	k.hashes = append(k.hashes, others.hashes[i])
}

// keys is the number of keys.
func (t *rowTable) keys() (n int) {
	for i := range t.parts {
		n += t.parts[i].keys
	}
	return n
}
