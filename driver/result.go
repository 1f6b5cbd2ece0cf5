package driver

import (
	"database/sql/driver"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// result is what a statement did. LastInsertId is the first T that the server
// chose, 0 where it chose none.
type result struct{ of sqlfront.Result }

var _ driver.Result = (*result)(nil)

// oneRow is what most writes give. It is not allocated for each.
var oneRow = &result{sqlfront.Result{RowsAffected: 1}}

func (r *result) LastInsertId() (int64, error) { return r.of.LastInsertID, nil }

func (r *result) RowsAffected() (int64, error) { return r.of.RowsAffected, nil }
