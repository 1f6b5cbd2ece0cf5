package driver

import (
	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
)

// result is the result of a statement. LastInsertId is the first T that the
// server chose, or 0 if it chose none.
type result struct {
	of   sqlfront.Result
	info answers.Info
}

var _ mysql.Result = (*result)(nil)

// The results of most writes and of most UPDATEs, which need no allocation.
var (
	oneRow     = &result{of: sqlfront.Result{RowsAffected: 1}}
	oneChanged = &result{of: oneRow.of, info: answers.OneChanged()}
)

func (r *result) LastInsertId() (int64, error) { return r.of.LastInsertID, nil }

// Info is what MySQL's clients show of the statement besides, as for LOAD DATA:
// "Records: 3  Deleted: 0  Skipped: 0  Warnings: 0". sql.Conn.Raw reaches it.
func (r *result) Info() string { return r.info.String() }

func (r *result) RowsAffected() (int64, error) { return r.of.RowsAffected, nil }

// AllRowsAffected and AllLastInsertIds are those of mysql.Result; for a script
// they have more elements.
func (r *result) AllRowsAffected() []int64  { return []int64{r.of.RowsAffected} }
func (r *result) AllLastInsertIds() []int64 { return []int64{r.of.LastInsertID} }

// results are the results of a script, which itself has the last one's.
type results struct {
	result
	all []sqlfront.Result
}

func (r *results) add(one *result) {
	r.result = *one
	r.all = append(r.all, one.of)
}

// AllRowsAffected has one number per statement.
func (r *results) AllRowsAffected() []int64 {
	out := make([]int64, len(r.all))
	for i, one := range r.all {
		out[i] = one.RowsAffected
	}
	return out
}

// AllLastInsertIds has one T per statement, 0 if the server chose none.
func (r *results) AllLastInsertIds() []int64 {
	out := make([]int64, len(r.all))
	for i, one := range r.all {
		out[i] = one.LastInsertID
	}
	return out
}
