package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// TypesOf are the types of nodes.
func TypesOf(nodes []Node) []value.Type {
	types := make([]value.Type, len(nodes))
	for i, n := range nodes {
		types[i] = n.Type()
	}
	return types
}
