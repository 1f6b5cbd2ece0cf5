package partition_test

import (
	"fmt"
	"log"

	"github.com/hbasekv/hbasekv/partition"
)

// Rows are placed by ranges of their bytes, and a range of rows touches only
// the partitions that can hold one of them.
func Example() {
	byRange, err := partition.NewRange([]string{"p0", "p1", "p2"}, [][]byte{[]byte("g"), []byte("t"), nil})
	if err != nil {
		log.Fatal(err)
	}
	at, ok := byRange.Locate([]byte("maria"))
	fmt.Println(byRange.Name(at), ok)
	fmt.Println(byRange.Prune([]partition.RowRange{{Start: []byte("a"), End: []byte("h")}}))

	byHash, err := partition.NewKey(97)
	if err != nil {
		log.Fatal(err)
	}
	at, ok = byHash.Locate([]byte("maria"))
	fmt.Println(byHash.Name(at), ok)
	fmt.Println(len(byHash.Prune([]partition.RowRange{{Start: []byte("a"), End: []byte("h")}})))
	// Output:
	// p1 true
	// [0 1]
	// p80 true
	// 97
}
