package pebblekv_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
)

// A store without SQL: create a table, put cells, and scan the newest two
// versions of a row.
func Example() {
	ctx := context.Background()
	store, err := pebblekv.Open(pebblekv.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	err = store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		if err := c.CreateDatabase(kv.Database{Name: "shop"}); err != nil {
			return err
		}
		_, err := c.CreateTable(kv.Table{
			Database: "shop", Name: "users$profile", Group: "users", Family: "profile",
			MaxRow: 64, MaxQualifier: 64,
		})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}

	tx, err := store.Begin(ctx, kv.TxnOptions{})
	if err != nil {
		panic(err)
	}
	users := tx.Catalog().Table("shop", "users$profile")
	for at, city := range []string{"Oslo", "Bergen", "Rome"} {
		cell := kv.Cell{Row: []byte("u1"), Qualifier: []byte("city"), Timestamp: int64(at), Value: []byte(city)}
		if err := tx.Put(ctx, users, cell); err != nil {
			log.Fatal(err)
		}
	}
	if err := tx.Commit(ctx); err != nil {
		log.Fatal(err)
	}

	tx, err = store.Begin(ctx, kv.TxnOptions{ReadOnly: true})
	if err != nil {
		panic(err)
	}
	defer tx.Rollback()
	cursor, err := tx.Scan(ctx, []*kv.Table{users}, &kv.Scan{Ordered: true, MaxVersions: 2, NeedValue: true})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close()
	for cursor.Next() {
		value, err := cursor.Value()
		if err != nil {
			log.Fatal(err)
		}
		c := cursor.Cell()
		fmt.Printf("%s %s %d %s\n", c.Row, c.Qualifier, c.Timestamp, value)
	}
	fmt.Println(cursor.Err())
	// Output:
	// u1 city 2 Rome
	// u1 city 1 Bergen
	// <nil>
}
