package orm

import (
	"database/sql"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

type sqlxUser struct {
	ID      int64               `db:"id"`
	Name    string              `db:"name"`
	Email   sql.NullString      `db:"email"`
	Balance decimal.NullDecimal `db:"balance"`
	Seen    sql.NullTime        `db:"seen"`
}

const sqlxUsers = "CREATE TABLE users (id bigint AUTO_INCREMENT PRIMARY KEY, name varchar(100) NOT NULL UNIQUE, " +
	"email varchar(200), balance decimal(20,4), seen datetime(6))"

// TestSqlxModels uses structs and named statements with a table of ordinary
// columns.
func TestSqlxModels(t *testing.T) {
	onStores(t, func(t *testing.T, db *sql.DB) {
		x := sqlx.NewDb(db, "mysql")
		x.MustExec(sqlxUsers)
		ann := sqlxUser{Name: "Ann", Email: sql.NullString{String: "a@b", Valid: true},
			Balance: decimal.NewNullDecimal(decimal.RequireFromString("1234567890123456.7891")),
			Seen:    sql.NullTime{Time: time.UnixMicro(1e15 + 1).UTC(), Valid: true}}
		const insert = "INSERT INTO users (name, email, balance, seen) VALUES (:name, :email, :balance, :seen)"
		res, err := x.NamedExec(insert, []sqlxUser{ann, {Name: "Bob"}})
		require.NoError(t, err)
		id, err := res.LastInsertId()
		require.NoError(t, err)
		require.EqualValues(t, 1, id)
		_, err = x.NamedExec(insert, sqlxUser{Name: "ANN"})
		require.ErrorContains(t, err, "1062")

		var users []sqlxUser
		require.NoError(t, x.Select(&users, "SELECT * FROM users ORDER BY id"))
		require.Len(t, users, 2)
		ann.ID = 1
		require.Equal(t, ann, users[0])
		require.Equal(t, sqlxUser{ID: 2, Name: "Bob"}, users[1])
		query, args, err := sqlx.In("SELECT * FROM users WHERE name IN (?) ORDER BY id LIMIT ?",
			[]string{"Bob", "Eve"}, 5)
		require.NoError(t, err)
		require.NoError(t, x.Select(&users, x.Rebind(query), args...))
		require.Len(t, users, 1)
		stmt, err := x.PrepareNamed("SELECT * FROM users WHERE balance > :low AND seen IS NOT NULL")
		require.NoError(t, err)
		defer stmt.Close()
		var one sqlxUser
		require.NoError(t, stmt.Get(&one, map[string]any{"low": "1234567890123455"}))
		require.Equal(t, ann, one)
		require.ErrorIs(t, x.Get(&one, "SELECT * FROM users WHERE id = ?", 9), sql.ErrNoRows)

		before := time.Now()
		time.Sleep(5 * time.Millisecond)
		tx := x.MustBegin()
		tx.MustExec("UPDATE users SET email = NULL, balance = balance / 2 WHERE id = 1")
		tx.MustExec("SAVEPOINT here")
		tx.MustExec("DELETE FROM users")
		tx.MustExec("ROLLBACK TO SAVEPOINT here")
		require.NoError(t, tx.Commit())
		require.NoError(t, x.Get(&one, "SELECT * FROM users FOR SYSTEM_TIME AS OF ? WHERE id = 1", before))
		require.Equal(t, ann, one)
		row := map[string]any{}
		require.NoError(t, x.QueryRowx("SELECT COUNT(*) AS n, COUNT(email) AS emails FROM users").MapScan(row))
		require.EqualValues(t, map[string]any{"n": int64(2), "emails": int64(0)}, row)
	})
}
