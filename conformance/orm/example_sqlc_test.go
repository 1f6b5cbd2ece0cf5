package orm

import (
	"context"
	"database/sql"
	"fmt"
)

// sqlcPeople reads a view that turns the cells of a row into columns.
const sqlcPeople = `CREATE OR REPLACE VIEW people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name,
	CAST(MAX(CASE WHEN Q = 'age' THEN V END) AS SIGNED) AS age FROM shop$cells GROUP BY K`

const sqlcGetPerson = `-- name: GetPerson :one
SELECT id, name, age FROM people WHERE id = ?
`

type sqlcPerson struct {
	ID   string
	Name sql.NullString
	Age  sql.NullInt64
}

func (q *sqlcQueries) GetPerson(ctx context.Context, id string) (sqlcPerson, error) {
	var i sqlcPerson
	err := q.db.QueryRowContext(ctx, sqlcGetPerson, id).Scan(&i.ID, &i.Name, &i.Age)
	return i, err
}

func Example_sqlc() {
	ctx := context.Background()
	db, err := sql.Open("hbasekv", "file::memory:?multiStatements=true")
	check(err)
	defer db.Close()
	_, err = db.Exec(createTable + ";" + sqlcPeople)
	check(err)
	q := &sqlcQueries{db: db}
	check(q.PutCell(ctx, sqlxCell{K: "u1", Q: "name", T: 1, V: []byte("Ada")}))
	check(q.PutCell(ctx, sqlxCell{K: "u1", Q: "age", T: 1, V: []byte("36")}))
	check(q.PutCell(ctx, sqlxCell{K: "u1", Q: "age", T: 2, V: []byte("37")}))
	versions, err := q.ListVersions(ctx, "u1", "age")
	check(err)
	ada, err := q.GetPerson(ctx, "u1")
	check(err)
	fmt.Println(versions, ada.Name.String, ada.Age.Int64)
	// Output:
	// [2 1] Ada 37
}
