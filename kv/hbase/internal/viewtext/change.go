package viewtext

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/kv"
)

// Home says whose descriptor has a view: a namespace's, or that of a table in it.
type Home struct{ Namespace, Table string }

// Changes are the changes of the texts of views, by their names in the descriptor.
type Changes map[string]Change

// Change is a text before and after; empty means none.
type Change struct{ Was, Is string }

func homeOf(v *kv.View) (h Home, name string) {
	if v.Group == "" {
		return Home{Namespace: v.Database}, v.Name
	}
	return Home{v.GroupDatabase, v.Group}, v.Database + "." + v.Name
}

// Differences returns the changes of views, in descriptors that are in the changed catalog. texts are the
// previous ones, by database and name.
func Differences(texts map[[2]string]string, next *kv.Catalog, changed []kv.Changed[kv.View]) (map[Home]Changes, error) {
	out := map[Home]Changes{}
	set := func(v *kv.View, change func(*Change)) {
		home, name := homeOf(v)
		switch {
		case next.Database(home.Namespace) == nil, home.Table != "" && next.Group(home.Namespace, home.Table) == nil:
			return
		case out[home] == nil:
			out[home] = Changes{}
		}
		c := out[home][name]
		change(&c)
		out[home][name] = c
	}
	for _, v := range changed {
		if v.Was != nil {
			set(v.Was, func(c *Change) { c.Was = texts[[2]string{v.Was.Database, v.Was.Name}] })
		}
		if v.Is == nil {
			continue
		}
		text, err := json.Marshal(v.Is)
		if err != nil {
			return nil, err
		}
		set(v.Is, func(c *Change) { c.Is = string(text) })
	}
	return out, nil
}

// apply returns all pairs with the changes. It fails with kv.ErrCatalogChanged if another program has
// changed one of the views meanwhile.
func (c Changes) apply(all []Pair, prefix string) (out []Pair, err error) {
	seen := map[string]bool{}
	for _, p := range all {
		name, ok := strings.CutPrefix(p.Name, prefix)
		change, changed := c[name]
		if !ok || !changed {
			out = append(out, p)
			continue
		}
		if seen[name] = true; p.Text != change.Was {
			return nil, kv.ErrCatalogChanged
		}
		if change.Is != "" {
			out = append(out, Pair{p.Name, change.Is})
		}
	}
	for name, change := range c {
		switch {
		case seen[name]:
		case change.Was != "":
			return nil, kv.ErrCatalogChanged
		case !utf8.ValidString(name):
			return nil, kv.ErrUnsupported{What: "an HBase view whose name is not valid UTF-8"}
		default:
			out = append(out, Pair{prefix + name, change.Is})
		}
	}
	return out, nil
}

// maxViews is the most bytes that the properties of a namespace with views may have. The master writes them
// to a znode, which accepts less than 1 MiB.
const maxViews = 512 << 10

// Properties returns the properties of a namespace with the changes. The error is kv.ErrCatalogChanged if
// another program has changed one of the views meanwhile, or kv.ErrUnsupported if they become too large.
func (c Changes) Properties(all []Pair) ([]Pair, error) {
	all, err := c.apply(all, property)
	size := 0
	for _, p := range all {
		size += len(p.Name) + len(p.Text)
	}
	if size > maxViews {
		return nil, kv.ErrUnsupported{What: fmt.Sprintf("views with a total of more than %d KiB in an HBase namespace, "+
			"which its ZooKeeper could not store: drop some, or create them in another database", maxViews>>10)}
	}
	return all, err
}

// Attributes returns the attributes of a table with the changes. The error is kv.ErrCatalogChanged, as of
// Properties.
func (c Changes) Attributes(all []Pair) ([]Pair, error) { return c.apply(all, attribute) }
