package explain_test

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/explain"
)

// A SELECT with an ORDER BY that the store does not have.
func Example() {
	scan := explain.NewStep("Full scan of t")
	scan.Table = &explain.Table{Table: "t", Type: "ALL", Access: "FULL SCAN", Rows: 3, Kept: 100}
	scan.Add("view", "latest")
	sort := explain.NewStep("Sort", scan)
	sort.Add("by", "`V`")
	sort.Filesort, sort.Block = true, &explain.Block{}

	_, rows, _ := explain.Print(sort, explain.Options{Format: "TREE"})
	fmt.Println(rows[0][0])
	columns, rows, _ := explain.Print(sort, explain.Options{})
	for i, c := range columns {
		fmt.Printf("%s: %s\n", c.Name, rows[0][i])
	}
	// Output:
	// -> Sort
	//      by: `V`
	//     -> Full scan of t
	//          view: latest
	// id: 1
	// select_type: SIMPLE
	// table: t
	// partitions: NULL
	// type: ALL
	// possible_keys: NULL
	// key: NULL
	// key_len: NULL
	// ref: NULL
	// rows: 3
	// filtered: 100
	// Extra: FULL SCAN; Using filesort
}
