package orm

import (
	"context"
	"database/sql"
	"fmt"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"

	"github.com/hbasekv/hbasekv/conformance/orm/ent"
	"github.com/hbasekv/hbasekv/conformance/orm/ent/cell"
	entmigrate "github.com/hbasekv/hbasekv/conformance/orm/ent/migrate"
)

func Example_ent() {
	ctx := context.Background()
	db, err := sql.Open("hbasekv", ":memory:") // or a directory
	check(err)
	client := ent.NewClient(ent.Driver(entsql.OpenDB(dialect.MySQL, db)))
	defer client.Close()
	check(entmigrate.Create(ctx, client.Schema, []*schema.Table{entCells()}, schema.WithForeignKeys(false)))
	for _, view := range entViews {
		_, err := db.Exec(view)
		check(err)
	}

	check(client.Cell.CreateBulk(
		client.Cell.Create().SetK("u1").SetQ("name").SetV([]byte("Ada")),
		client.Cell.Create().SetK("u1").SetQ("age").SetV([]byte("36")),
	).Exec(ctx))
	check(client.Cell.Update().Where(cell.K("u1"), cell.Q("age")).SetV([]byte("37")).Exec(ctx))
	ages := client.Cell.Query().Where(cell.K("u1"), cell.Q("age")).AllX(entsql.WithVar(ctx, "hbasekv_versions", "all"))
	fmt.Printf("%s, before %s\n", ages[0].V, ages[1].V)

	ada := client.Person.GetX(ctx, "u1")
	fmt.Println(ada.Name, *ada.Age, len(ada.QueryCells().AllX(ctx)))
	// Output:
	// 37, before 36
	// Ada 37 2
}
