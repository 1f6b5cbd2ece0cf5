package sqlfront

import (
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
)

// IndexEntries is the index.Maker of the stores that sessions work on: it reads what the table's
// attributes say of the index.
func IndexEntries(t *kv.Table, i int) (index.Entries, error) {
	return nil, fmt.Errorf("%w: the table %s.%s has no definition of its index %s", kv.ErrFormat, t.Database, t.Name, t.Indexes[i].Name)
}
