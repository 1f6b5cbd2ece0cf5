package driver

import (
	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
)

// result is what a statement did. LastInsertId is the first T that the server
// chose, 0 where it chose none.
type result struct {
	of   sqlfront.Result
	info answers.Info
}

var _ mysql.Result = (*result)(nil)

// What most writes give, and most UPDATEs. It is not allocated for each.
var (
	oneRow     = &result{of: sqlfront.Result{RowsAffected: 1}}
	oneChanged = &result{of: oneRow.of, info: answers.OneChanged()}
)

func (r *result) LastInsertId() (int64, error) { return r.of.LastInsertID, nil }

// Info is what MySQL's clients show of the statement besides, as of LOAD DATA:
// "Records: 3  Deleted: 0  Skipped: 0  Warnings: 0". sql.Conn.Raw reaches it.
func (r *result) Info() string { return r.info.String() }

func (r *result) RowsAffected() (int64, error) { return r.of.RowsAffected, nil }

// AllRowsAffected and AllLastInsertIds make it a mysql.Result, which a script has
// more to say of.
func (r *result) AllRowsAffected() []int64  { return []int64{r.of.RowsAffected} }
func (r *result) AllLastInsertIds() []int64 { return []int64{r.of.LastInsertID} }

// results are those of a script, which is the last one's result.
type results struct {
	result
	all []sqlfront.Result
}

func (r *results) add(one *result) {
	r.result = *one
	r.all = append(r.all, one.of)
}

// AllRowsAffected has a number for each statement.
func (r *results) AllRowsAffected() []int64 {
	out := make([]int64, len(r.all))
	for i, one := range r.all {
		out[i] = one.RowsAffected
	}
	return out
}

// AllLastInsertIds has a T for each statement, 0 where the server chose none.
func (r *results) AllLastInsertIds() []int64 {
	out := make([]int64, len(r.all))
	for i, one := range r.all {
		out[i] = one.LastInsertID
	}
	return out
}
