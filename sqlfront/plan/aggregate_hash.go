package plan

import "github.com/hbasekv/hbasekv/sqlfront/value"

// hashGroups aggregates rows whose groups come in any order; it gives the
// groups in the order of their first rows.
type hashGroups struct {
	groups
	byKey map[string]*group
	all   []*group
	kept  arena
	ready bool
	given int
}

func (n *aggregateNode) hash(x *exec, child source) source {
	return &hashGroups{groups: n.newGroups(x, child), byKey: map[string]*group{}}
}

func (h *hashGroups) next() (bool, error) {
	if !h.ready {
		if err := h.read(); err != nil {
			return false, err
		}
		h.ready = true
	}
	if h.given >= len(h.all) {
		return false, nil
	}
	g := h.all[h.given]
	h.all[h.given] = nil
	h.given++
	return true, h.emit(g.keys, g.first, g.states)
}

func (h *hashGroups) read() error {
	var key []byte
	for {
		ok, err := h.child.next()
		if !ok || err != nil {
			return err
		}
		if err := h.x.tick(); err != nil {
			return err
		}
		if err := h.readKeys(); err != nil {
			return err
		}
		key = key[:0]
		for _, v := range h.keys {
			key = value.AppendKey(key, v)
		}
		g := h.byKey[string(key)]
		if g == nil {
			g = h.newGroup()
			h.byKey[string(key)] = g
		}
		if err := h.add(g.states); err != nil {
			return err
		}
	}
}

// newGroup starts a group with the present row.
func (h *hashGroups) newGroup() *group {
	g := &group{
		keys:   h.kept.clone(h.keys),
		first:  h.kept.clone(h.capture(nil)),
		states: h.newStates(),
	}
	h.all = append(h.all, g)
	return g
}
