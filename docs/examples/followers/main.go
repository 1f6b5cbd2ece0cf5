// Followers: who follows whom is one table, whose primary key answers one direction and whose
// index the other.
package main

import (
	"database/sql"
	"fmt"
	"log"

	_ "github.com/hbasekv/hbasekv/driver"
)

func main() {
	db, err := sql.Open("hbasekv", ":memory:") // or a directory
	check(err)
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE follows (
		who varchar(50), whom varchar(50), since datetime NOT NULL, PRIMARY KEY (who, whom), INDEX followers (whom))`)
	check(err)

	insert, err := db.Prepare("INSERT INTO follows VALUES (?, ?, ?)")
	check(err)
	defer insert.Close()
	for _, f := range [][3]any{
		{"ann", "bob", "2026-01-05"}, {"ann", "cem", "2026-02-11"}, {"bob", "cem", "2026-02-12"},
		{"dee", "cem", "2026-03-01"}, {"dee", "ann", "2026-03-02"},
	} {
		_, err := insert.Exec(f[:]...)
		check(err)
	}

	print(db, "ann follows", "SELECT whom FROM follows WHERE who = ? ORDER BY whom", "ann")
	print(db, "cem is followed by", "SELECT who FROM follows WHERE whom = ? ORDER BY who", "cem")
	print(db, "ann may know", `SELECT further.whom FROM follows mine JOIN follows further ON further.who = mine.whom
		WHERE mine.who = ? AND further.whom <> mine.who GROUP BY further.whom ORDER BY further.whom`, "ann")
	print(db, "the most followed", "SELECT whom FROM follows GROUP BY whom ORDER BY COUNT(*) DESC, whom LIMIT 1")

	// The second question reads the index, not the whole table.
	var plan string
	check(db.QueryRow("EXPLAIN FORMAT=TREE SELECT who FROM follows WHERE whom = 'cem'").Scan(&plan))
	fmt.Println(plan)
}

// print prints the values that a query of one column returns.
func print(db *sql.DB, title, query string, args ...any) {
	rows, err := db.Query(query, args...)
	check(err)
	defer rows.Close()
	fmt.Print(title, ":")
	for rows.Next() {
		var name string
		check(rows.Scan(&name))
		fmt.Print(" ", name)
	}
	check(rows.Err())
	fmt.Println()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
