package orm

import (
	"database/sql"
	"fmt"

	"xorm.io/xorm"
	"xorm.io/xorm/core"
	"xorm.io/xorm/dialects"
)

// xormPerson reads a view that turns the cells of a row into columns.
type xormPerson struct {
	ID   string `xorm:"'id'"`
	Name string `xorm:"'name'"`
	Age  *int64 `xorm:"'age'"`
}

func (xormPerson) TableName() string { return "people" }

func Example_xorm() {
	db, err := sql.Open("hbasekv", ":memory:") // or a directory
	check(err)
	defer db.Close()
	dialect := dialects.QueryDialect("mysql")
	check(dialect.Init(&dialects.URI{DBType: "mysql", DBName: "default"}))
	x, err := xorm.NewEngineWithDialectAndDB("mysql", "", dialect, core.FromDB(db))
	check(err)
	check(x.Sync(new(xormCell)))

	_, err = x.Insert([]xormCell{{K: "u1", Q: "name", V: []byte("Ada")}, {K: "u1", Q: "age", V: []byte("35")}})
	check(err)
	_, err = x.Insert(&xormCell{K: "u1", Q: "age", V: []byte("36")}) // a second version
	check(err)
	_, err = x.Where("K = ? AND Q = ?", "u1", "age").Cols("V").Update(&xormCell{V: []byte("37")})
	check(err)
	var ages []xormCell
	check(x.SQL("SELECT * FROM shop$cells FOR SYSTEM_TIME ALL WHERE K = ? AND Q = ?", "u1", "age").Find(&ages))
	fmt.Printf("%s, before %s and %s\n", ages[0].V, ages[1].V, ages[2].V)

	_, err = x.Exec(`CREATE OR REPLACE VIEW people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name,
		CAST(MAX(CASE WHEN Q = 'age' THEN V END) AS SIGNED) AS age FROM shop$cells GROUP BY K`)
	check(err)
	ada := xormPerson{ID: "u1"}
	_, err = x.Get(&ada)
	check(err)
	fmt.Println(ada.Name, *ada.Age)
	// Output:
	// 37, before 36 and 35
	// Ada 37
}
