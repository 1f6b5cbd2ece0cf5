package sqlfront

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// IndexEntries is the index.Maker of the stores that sessions work on: it reads what the table's
// attributes say of the index.
func IndexEntries(t *kv.Table, i int) (index.Entries, error) { return typed.EntriesOf(t, i) }
