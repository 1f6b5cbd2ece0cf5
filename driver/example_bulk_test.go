package driver_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hbasekv/hbasekv/driver"
)

// Ten thousand readings of sensors go into the store as table files, in one step.
func ExampleBulkLoad() {
	db := openTable("sensor$data", "PARTITION BY KEY(K) PARTITIONS 7")
	defer db.Close()
	cells := func(yield func(driver.Cell, error) bool) {
		for sensor := range 1000 {
			for minute := int64(9); minute >= 0; minute-- { // T descends: nothing has to be sorted
				c := driver.Cell{
					K: fmt.Appendf(nil, "sensor%04d", sensor), Q: []byte("celsius"), T: minute * 60_000,
					V: fmt.Appendf(nil, "%.1f", 20+float64(sensor)/100),
				}
				if !yield(c, nil) {
					return
				}
			}
		}
	}
	stats, err := driver.BulkLoad(context.Background(), db, []string{"sensor$data"}, cells)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Cells, "cells, sorted:", stats.Sorted)
	show(db, "SELECT K, T, V FROM sensor$data WHERE K = 'sensor0042'")
	// Output:
	// 10000 cells, sorted: false
	// sensor0042 540000 20.4
}
