package rowapi

import (
	"context"
	"fmt"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// undeclaredTTL is the error if a cell with a TTL of its own cannot be written yet: its family's table
// does not have CellTTL, so readers would not check it.
type undeclaredTTL struct{ family *kv.Table }

func (e *undeclaredTTL) Error() string {
	return "no cell of the table " + e.family.Name + " may have a TTL of its own"
}

// declareTTL sets CellTTL of a family's table, once in its life.
func (c *Client) declareTTL(ctx context.Context, family *kv.Table) error {
	return c.store.ChangeCatalog(ctx, func(change *kv.CatalogChange) error {
		t := change.Catalog().TableByID(family.ID)
		if t == nil || t.Retention.CellTTL {
			return nil // somebody else has set it, or the table is gone, which the next attempt reports
		}
		next := *t
		next.Retention.CellTTL = true
		return change.AlterTable(next)
	})
}

// checkTTL refuses a TTL that no cell can have.
func checkTTL(m Mutation, ttl time.Duration) error {
	switch _, isDelete := m.(*Delete); {
	case ttl == 0:
		return nil
	case isDelete:
		return fmt.Errorf("%w: a TTL in a Delete, which writes no cells", ErrUnsupported)
	case ttl < time.Millisecond:
		return fmt.Errorf("%w: a TTL of %s, which is less than a millisecond", ErrInvalid, ttl)
	}
	return nil
}
