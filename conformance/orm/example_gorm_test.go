package orm

import (
	"database/sql"
	"errors"
	"fmt"

	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/hints"
)

// gormPerson reads a view that turns the cells of a row into columns.
type gormPerson struct {
	ID   string
	Name string
	Age  *int64
}

func (gormPerson) TableName() string { return "people" }

func Example_gorm() {
	db, err := sql.Open("hbasekv", ":memory:") // or a directory
	check(err)
	defer db.Close()
	g, err := gorm.Open(mysql.New(mysql.Config{Conn: db}), &gorm.Config{TranslateError: true, Logger: logger.Discard})
	check(err)
	check(g.Set("gorm:table_options", "PARTITION BY KEY(K) PARTITIONS 7").AutoMigrate(&gormCell{}))

	check(g.Create([]gormCell{{K: "u1", Q: "name", V: []byte("Ada")}, {K: "u1", Q: "age", V: []byte("36")}}).Error)
	check(g.Model(&gormCell{}).Where("K = ? AND Q = ?", "u1", "age").Update("V", "37").Error)
	var ages []gormCell
	check(g.Clauses(hints.New("VERSIONS(ALL)")).Where(&gormCell{K: "u1", Q: "age"}).Find(&ages).Error)
	fmt.Printf("%s, before %s\n", ages[0].V, ages[1].V)
	fmt.Println(errors.Is(g.Create(&ages[0]).Error, gorm.ErrDuplicatedKey))

	pivot := g.Model(&gormCell{}).Group("K").Select(`K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name,
		CAST(MAX(CASE WHEN Q = 'age' THEN V END) AS SIGNED) AS age`)
	check(g.Migrator().CreateView("people", gorm.ViewOption{Replace: true, Query: pivot}))
	var ada gormPerson
	check(g.Take(&ada, "id = ?", "u1").Error)
	fmt.Println(ada.Name, *ada.Age)
	// Output:
	// 37, before 36
	// true
	// Ada 37
}
