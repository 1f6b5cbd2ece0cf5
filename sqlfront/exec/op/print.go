package op

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

func PrintNodes(nodes []expr.Node) string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = expr.Print(n)
	}
	return strings.Join(out, ", ")
}
