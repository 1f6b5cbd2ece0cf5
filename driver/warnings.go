package driver

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// Warning is one line of SHOW WARNINGS: its level (Note, Warning or Error), MySQL's number and
// the text.
type Warning = sqlfront.Warning

// Warnings returns the warnings of the connection's last statement, once its rows are read or
// closed: a copy of the first max_error_count ones, which belongs to the caller, and the number
// of all. After SHOW WARNINGS and SHOW ERRORS, which have none of their own, there are none.
// Unlike SHOW WARNINGS, it does not change FOUND_ROWS() and ROW_COUNT(). sql.Conn.Raw gives
// access to it, as interface{ Warnings() ([]driver.Warning, int) }.
func (c *conn) Warnings() (kept []Warning, all int) {
	if all = c.session.WarningCount(); all == 0 {
		return nil, 0
	}
	return slices.Clone(c.session.Warnings()), all
}
