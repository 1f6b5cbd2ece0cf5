package rowapi_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// Writing and reading a table of one family, like a client of HBase.
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
		_, err := c.CreateTable(kv.Table{Database: "shop", Name: "users$profile", Group: "users", Family: "profile"})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}

	client, users := rowapi.New(store, rowapi.Options{}), rowapi.TableName{Namespace: "shop", Name: "users"}
	for i, name := range []string{"Ann", "Bob", "Cid"} {
		put := rowapi.NewPut(fmt.Appendf(nil, "u%d", i)).AddAt("profile", []byte("name"), 1, []byte(name))
		if err := client.Put(ctx, users, put); err != nil {
			log.Fatal(err)
		}
	}
	f, err := filter.Parse([]byte("ValueFilter(!=, 'binary:Bob')"))
	if err != nil {
		log.Fatal(err)
	}
	scanner, err := client.Scanner(ctx, users, &rowapi.Scan{Columns: rowapi.Columns{Filter: f}})
	if err != nil {
		log.Fatal(err)
	}
	defer scanner.Close()
	for done := false; !done; {
		page, err := scanner.Next(ctx, rowapi.PageLimits{Rows: 100})
		if err != nil {
			log.Fatal(err)
		}
		for _, r := range page.Results {
			name, _ := r.Value("profile", []byte("name"))
			fmt.Printf("%s %s\n", r.Row(), name)
		}
		done = page.Done
	}
	// Output:
	// u0 Ann
	// u2 Cid
}
