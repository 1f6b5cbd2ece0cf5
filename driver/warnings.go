package driver

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// Warning is one line of SHOW WARNINGS: its level (Note, Warning or Error), MySQL's number and
// the text.
type Warning = sqlfront.Warning

// Warnings are those of the connection's last statement, once its rows are read or closed: the
// first ones, as many as max_error_count says, as a copy that is the caller's, and the number of
// all. Behind SHOW WARNINGS and SHOW ERRORS, which have none of their own, there are none.
// Other than SHOW WARNINGS this leaves what FOUND_ROWS() and ROW_COUNT() say. sql.Conn.Raw
// reaches it, as interface{ Warnings() ([]driver.Warning, int) }.
func (c *conn) Warnings() (kept []Warning, all int) {
	if all = c.session.WarningCount(); all == 0 {
		return nil, 0
	}
	return slices.Clone(c.session.Warnings()), all
}
