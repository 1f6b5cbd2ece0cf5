package hbaseserver_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"net"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	_ "github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// A program of gohbase on a store in this process, and SQL beside it.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	db, err := sql.Open("hbasekv", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	calls, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	zookeeper, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go hbaseserver.Serve(ctx, calls, zookeeper, db, hbaseserver.Options{})

	admin := gohbase.NewAdminClient(zookeeper.Addr().String(), quiet)
	err = admin.CreateTable(hrpc.NewCreateTable(ctx, []byte("users"), map[string]map[string]string{"info": nil}))
	if err != nil {
		log.Fatal(err)
	}
	client := gohbase.NewClient(zookeeper.Addr().String(), quiet)
	defer client.Close()
	put, err := hrpc.NewPutStr(ctx, "users", "ann", map[string]map[string][]byte{"info": {"city": []byte("Oslo")}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Put(put); err != nil {
		log.Fatal(err)
	}

	var city string
	if err := db.QueryRow("SELECT V FROM users$info WHERE K = 'ann' AND Q = 'city'").Scan(&city); err != nil {
		log.Fatal(err)
	}
	fmt.Println(city)
	// Output: Oslo
}
