package driver_test

import (
	"io"
	"log"
	"strings"

	"github.com/hbasekv/hbasekv/driver"
)

// What a program has in hand, or reads from elsewhere, is loaded as a file is.
func ExampleRegisterReader() {
	db := openTable("people$info", "")
	defer db.Close()
	driver.RegisterReader("people", func() io.Reader {
		return strings.NewReader("name,city\nAnn,Bern\n\"Bo, the second\",Basel\n")
	})
	defer driver.DeregisterReader("people")
	_, err := db.Exec(`LOAD DATA LOCAL INFILE 'Reader::people' INTO TABLE people$info
		FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' IGNORE 1 LINES
		(K, V) SET Q = 'city', T = 1`)
	if err != nil {
		log.Fatal(err)
	}
	show(db, "SELECT K, Q, V FROM people$info")
	// Output:
	// Ann city Bern
	// Bo, the second city Basel
}
