package driver_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/driver"
)

// A store in memory: a path in its place is a directory, made when missing.
func Example_open() {
	db, err := sql.Open("hbasekv", ":memory:?db=shop")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	exec(db, `CREATE TABLE users$profile (K varbinary(64), Q varbinary(64), T bigint, V varbinary(255), PRIMARY KEY (K, Q, T))`)
	exec(db, "INSERT INTO users$profile (K, Q, V) VALUES (?, 'name', ?)", "u1", "Ada")
	var name string
	if err := db.QueryRow("SELECT V FROM users$profile WHERE K = ? AND Q = 'name'", "u1").Scan(&name); err != nil {
		log.Fatal(err)
	}
	fmt.Println(name)
	// Output: Ada
}

// A configuration in place of a text, for sql.OpenDB.
func ExampleNewConnector() {
	cfg := driver.NewConfig(driver.MemoryPath)
	cfg.Versions = "all"
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	fmt.Println(cfg.FormatDSN(), db.Ping())
	// Output: :memory:?versions=all <nil>
}

// One cell with a history, read through four views.
func Example_versions() {
	db := openTable("users$profile", "")
	defer db.Close()
	exec(db, "INSERT INTO users$profile VALUES ('u1', 'city', 100, 'Oslo'), ('u1', 'city', 200, 'Bergen'), ('u1', 'city', 300, 'Rome')")
	show(db, "SELECT T, V FROM users$profile")
	show(db, "SELECT V FROM users$profile FOR SYSTEM_TIME AS OF ?", 250)
	show(db, "SELECT /*+ VERSIONS(2) */ T FROM users$profile")
	show(db, "SELECT /*+ TIMERANGE(0, 200) */ V FROM users$profile")
	// Output:
	// 300 Rome
	// Bergen
	// 300
	// 200
	// Oslo
}

// transfer moves an amount between two balances, both or none.
func transfer(ctx context.Context, db *sql.DB, from, to string, amount int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	result, err := tx.ExecContext(ctx, "UPDATE account SET V = V - ? WHERE K = ? AND V >= ?", amount, from, amount)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("not enough money"))
	}
	if _, err := tx.ExecContext(ctx, "UPDATE account SET V = V + ? WHERE K = ?", amount, to); err != nil {
		return err
	}
	return tx.Commit()
}

// A transaction that another one was faster than is run again: errors 1213 (a
// deadlock or a conflict) and 1205 (a lock that was not given up in time) have
// undone it.
func Example_retry() {
	db := openTable("account", "")
	defer db.Close()
	ctx := context.Background()
	exec(db, "INSERT INTO account VALUES ('ann', '', 1, '100'), ('bob', '', 1, '0')")
	for {
		err := transfer(ctx, db, "ann", "bob", 30)
		var e *mysql.MySQLError
		if errors.As(err, &e) && (e.Number == 1213 || e.Number == 1205) {
			continue // another transaction was faster: again, from the beginning
		}
		if err != nil {
			log.Fatal(err)
		}
		break
	}
	show(db, "SELECT K, V FROM account")
	// Output:
	// ann 70
	// bob 30
}
