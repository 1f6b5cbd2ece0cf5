package hbase

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
)

// A view is a property of its namespace, by the name HBASEKV_VIEW and its own behind a point, with
// its descriptor as JSON. So all programs that read the cluster's descriptors have it, it costs no
// request, and it goes with its namespace. HBase replaces a namespace's descriptor as a whole,
// whatever it was: a change holds a lock of the master meanwhile.

const viewProperty = "HBASEKV_VIEW."

// maxViews is how many bytes the properties of a namespace with views may have. The master writes
// them to a node of ZooKeeper, which takes less than 1 MiB.
const maxViews = 512 << 10

// addViews adds the views of a namespace. One that cannot be read is there and says so.
func (l *layout) addViews(n *pb.NamespaceDescriptor) {
	for _, p := range n.GetConfiguration() {
		name, ok := strings.CutPrefix(p.GetName(), viewProperty)
		if !ok {
			continue
		}
		v := &kv.View{}
		if err := json.Unmarshal([]byte(p.GetValue()), v); err != nil {
			v = &kv.View{Damage: fmt.Sprintf("the property %s of HBase's namespace %s is damaged: %v",
				p.GetName(), n.GetName(), err)}
		}
		v.Database, v.Name = string(n.GetName()), name
		l.stored.Views = append(l.stored.Views, v)
		l.views[[2]string{v.Database, name}] = p.GetValue()
	}
}

// sortViews puts them in the order of their names, as a change of the catalog leaves them.
func (l *layout) sortViews() {
	all := l.stored.Views
	sort.Slice(all, func(i, j int) bool {
		return all[i].Database < all[j].Database || all[i].Database == all[j].Database && all[i].Name < all[j].Name
	})
}

// viewChange is what becomes of a property; an empty text is none.
type viewChange struct{ was, is string }

// viewSteps change the views of a namespace, each in one step.
func (s *Store) viewSteps(l *layout, before, next *kv.StoredCatalog) (out []step, err error) {
	was, is := before.Catalog(), next.Catalog()
	for _, d := range next.Databases {
		changes := map[string]viewChange{}
		for _, v := range was.Views(d.Name) {
			if is.View(d.Name, v.Name) != v {
				changes[v.Name] = viewChange{was: l.views[[2]string{d.Name, v.Name}]}
			}
		}
		for _, v := range is.Views(d.Name) {
			if was.View(d.Name, v.Name) == v {
				continue
			}
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			changes[v.Name] = viewChange{changes[v.Name].was, string(text)}
		}
		if len(changes) > 0 {
			out = append(out, func(ctx context.Context) error { return s.cluster.changeViews(ctx, d.Name, changes) })
		}
	}
	return out, nil
}

// changeViews changes properties of a namespace, where they are still what they were.
func (c *cluster) changeViews(ctx context.Context, namespace string, changes map[string]viewChange) error {
	return c.exclusive(ctx, namespace, func(ctx context.Context) error {
		answer := &pb.GetNamespaceDescriptorResponse{}
		request := &pb.GetNamespaceDescriptorRequest{NamespaceName: &namespace}
		if err := c.onMaster(ctx, "GetNamespaceDescriptor", request, answer, true); err != nil {
			return err
		}
		next, err := changedProperties(answer.GetNamespaceDescriptor(), changes)
		if err != nil {
			return err
		}
		return c.procedure(ctx, "ModifyNamespace",
			&pb.ModifyNamespaceRequest{NamespaceDescriptor: next, NonceGroup: nonce(), Nonce: nonce()})
	})
}

// changedProperties is a descriptor with the changes; kv.ErrCatalogChanged where another program
// has changed one of the views meanwhile. All else of it stays.
func changedProperties(d *pb.NamespaceDescriptor, changes map[string]viewChange) (*pb.NamespaceDescriptor, error) {
	next := &pb.NamespaceDescriptor{Name: d.GetName()}
	seen, size := map[string]bool{}, 0
	add := func(name, value string) {
		next.Configuration = append(next.Configuration, &pb.NameStringPair{Name: &name, Value: &value})
		size += len(name) + len(value)
	}
	for _, p := range d.GetConfiguration() {
		name, ok := strings.CutPrefix(p.GetName(), viewProperty)
		change, changed := changes[name]
		if !ok || !changed {
			add(p.GetName(), p.GetValue())
			continue
		}
		if seen[name] = true; p.GetValue() != change.was {
			return nil, kv.ErrCatalogChanged
		}
		if change.is != "" {
			add(p.GetName(), change.is)
		}
	}
	for name, change := range changes {
		switch {
		case seen[name]:
		case change.was != "":
			return nil, kv.ErrCatalogChanged
		case !utf8.ValidString(name):
			return nil, kv.ErrUnsupported{What: "a view of HBase whose name is no UTF-8"}
		default:
			add(viewProperty+name, change.is)
		}
	}
	if size > maxViews {
		return nil, kv.ErrUnsupported{What: fmt.Sprintf("views of more than %d KiB together in one namespace of HBase, whose "+
			"ZooKeeper could not hold them: drop some, or make them in another database", maxViews>>10)}
	}
	return next, nil
}
