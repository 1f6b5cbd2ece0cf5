package orm

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
)

// bunPerson reads a view that turns the cells of a row into columns.
type bunPerson struct {
	bun.BaseModel `bun:"table:people,alias:p"`

	ID   string
	Name string
	Age  *int64
}

func Example_bun() {
	ctx := context.Background()
	db, err := sql.Open("hbasekv", ":memory:") // or a directory
	check(err)
	b := bun.NewDB(db, mysqldialect.New())
	defer b.Close()
	_, err = b.NewCreateTable().Model((*bunCell)(nil)).IfNotExists().PartitionBy("KEY(K) PARTITIONS 7").Exec(ctx)
	check(err)

	_, err = b.NewInsert().Model(&[]bunCell{{K: []byte("u1"), Q: "name", V: []byte("Ada")}, {K: []byte("u1"), Q: "age", V: []byte("35")}}).Exec(ctx)
	check(err)
	_, err = b.NewInsert().Model(&bunCell{K: []byte("u1"), Q: "age", V: []byte("36")}).Exec(ctx) // a second version
	check(err)
	_, err = b.NewUpdate().Model((*bunCell)(nil)).Set("V = ?", "37").Where("K = ? AND Q = ?", "u1", "age").Exec(ctx)
	check(err)
	var ages []bunCell
	check(b.NewSelect().Model(&ages).ModelTableExpr("shop$cells FOR SYSTEM_TIME ALL AS c").Where("K = ? AND Q = ?", "u1", "age").Scan(ctx))
	fmt.Printf("%s, before %s and %s\n", ages[0].V, ages[1].V, ages[2].V)

	_, err = b.NewRaw(`CREATE OR REPLACE VIEW people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name,
		CAST(MAX(CASE WHEN Q = 'age' THEN V END) AS SIGNED) AS age FROM shop$cells GROUP BY K`).Exec(ctx)
	check(err)
	var ada bunPerson
	check(b.NewSelect().Model(&ada).Where("id = ?", "u1").Scan(ctx))
	fmt.Println(ada.Name, *ada.Age)
	// Output:
	// 37, before 36 and 35
	// Ada 37
}
