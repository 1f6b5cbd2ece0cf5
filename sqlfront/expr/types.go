package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

func typesOf(nodes []Node) []value.Type {
	types := make([]value.Type, len(nodes))
	for i, n := range nodes {
		types[i] = n.Type()
	}
	return types
}
