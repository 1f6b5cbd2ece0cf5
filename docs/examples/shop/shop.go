// Package shop is a program that keeps its orders with database/sql. Its test shows what hbasekvtest is for.
package shop

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"

	"github.com/hbasekv/hbasekv/driver"
)

//go:embed schema.sql
var schema string

// ErrSoldOut says that there are fewer pieces than were ordered.
var ErrSoldOut = errors.New("sold out")

// Order takes pieces of an article from the stock and adds an order, both or neither. It runs again
// after a conflict with another transaction.
func Order(ctx context.Context, db *sql.DB, article string, pieces int) (id int64, err error) {
	err = driver.Retry(ctx, db, driver.RetryOptions{}, func(tx *sql.Tx) error {
		var stock int
		row := tx.QueryRowContext(ctx, "SELECT stock FROM articles WHERE name = ? FOR UPDATE", article)
		if err := row.Scan(&stock); err != nil {
			return err
		}
		if stock < pieces {
			return ErrSoldOut
		}
		if _, err := tx.ExecContext(ctx, "UPDATE articles SET stock = stock - ? WHERE name = ?", pieces, article); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, "INSERT INTO orders (article, pieces, ordered) VALUES (?, ?, NOW())", article, pieces)
		if err != nil {
			return err
		}
		id, err = result.LastInsertId()
		return err
	})
	return id, err
}
