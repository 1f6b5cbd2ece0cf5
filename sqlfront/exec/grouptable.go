package exec

import "github.com/hbasekv/hbasekv/sqlfront/spill"

// groupTable finds groups by the keys of their rows. Neither a group nor its key has memory
// of its own: 100,000 groups by V, of 100 bytes, take 133 ms of processor time so, with states
// that have none either, and 222 with a map of groups (benchmark Reports, manygroups).
type groupTable struct {
	keys   spill.KeyTable
	groups []*group // by the numbers of keys
	slab   spill.Slab[group]
}

// find is the group with a key, nil where there is none.
func (t *groupTable) find(key []byte) *group {
	if number := t.keys.Find(key); number != spill.NoKey {
		return t.groups[number]
	}
	return nil
}

// findOrAdd is the group with a key, which is made where there is none.
func (t *groupTable) findOrAdd(key []byte) (g *group, isNew bool) {
	number, isNew := t.keys.Add(key)
	if !isNew {
		return t.groups[number], false
	}
	g = t.slab.Next()
	g.number, g.key, g.place = number, t.keys.Key(number), -1
	t.groups = append(t.groups, g)
	return g, true
}
