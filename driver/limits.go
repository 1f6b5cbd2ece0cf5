package driver

import (
	"database/sql"
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
)

// Limits says what the connection's store supports: transactions, values,
// partitionings and DDL. It fails if the connection is not one of this driver.
func Limits(of *sql.Conn) (limits kv.Limits, err error) {
	err = of.Raw(func(driverConn any) error {
		c, ok := driverConn.(*conn)
		if !ok {
			return fmt.Errorf("hbasekv: Limits needs a connection of this driver, not a %T", driverConn)
		}
		limits = c.session.Limits()
		return nil
	})
	return limits, err
}
