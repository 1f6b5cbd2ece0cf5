package kernel

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// columnKernel is a column of the batch.
type columnKernel struct {
	at   int
	kind value.Kind
}

func (c *Compiler) column(n *expr.Column) Kernel {
	at := c.Schema.find(n.Index)
	return &columnKernel{at: at, kind: c.Schema[at].Kind}
}

func (k *columnKernel) Kind() value.Kind { return k.kind }

func (k *columnKernel) Eval(b *Batch, _ []int32) (*value.Vector, bool) { return b.Column(k.at), true }
