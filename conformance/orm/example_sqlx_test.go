package orm

import (
	"database/sql"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
)

// sqlxPerson reads a view that turns the cells of a row into columns.
type sqlxPerson struct {
	ID   string
	Name string
	Age  *int64
}

func Example_sqlx() {
	db, err := sql.Open("hbasekv", ":memory:") // or a directory
	check(err)
	x := sqlx.NewDb(db, "mysql") // its placeholders
	defer x.Close()
	x.MapperFunc(strings.ToUpper) // K, Q, T and V
	x.MustExec("CREATE TABLE shop$cells (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1024), PRIMARY KEY (K, Q, T))")

	_, err = x.NamedExec("INSERT INTO shop$cells (K, Q, T, V) VALUES (:K, :Q, :T, :V)",
		[]sqlxCell{{K: "u1", Q: "name", T: 1, V: []byte("Ada")}, {K: "u1", Q: "age", T: 1, V: []byte("36")}})
	check(err)
	x.MustExec("UPDATE shop$cells SET V = ? WHERE K = ? AND Q = ?", "37", "u1", "age")
	var ages []sqlxCell
	check(x.Select(&ages, "SELECT * FROM shop$cells FOR SYSTEM_TIME ALL WHERE K = ? AND Q = ?", "u1", "age"))
	fmt.Printf("%s, before %s\n", ages[0].V, ages[1].V)

	x.MustExec(`CREATE OR REPLACE VIEW people AS SELECT K AS ID, MAX(CASE WHEN Q = 'name' THEN V END) AS NAME,
		CAST(MAX(CASE WHEN Q = 'age' THEN V END) AS SIGNED) AS AGE FROM shop$cells GROUP BY K`)
	var ada sqlxPerson
	check(x.Get(&ada, "SELECT * FROM people WHERE id = ?", "u1"))
	fmt.Println(ada.Name, *ada.Age)
	// Output:
	// 37, before 36
	// Ada 37
}
