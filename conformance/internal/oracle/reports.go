package oracle

import (
	"fmt"
	"math/rand/v2"
)

// ReportTables are tables of flights, with a row per flight: f has most of
// them, h some.
var ReportTables = []string{"f", "h"}

// ReportCells are the cells of flights in the first months of 2024, some with
// several versions, and with values that are missing, empty or not numbers.
func ReportCells(table string, flights int) []string {
	r := rand.New(rand.NewPCG(20260101, uint64(table[0])))
	of := func(values ...string) string { return values[r.IntN(len(values))] }
	airports := []string{"ams", "ams", "ams", "ber", "bru", "cdg"}
	var out []string
	for flight := range map[string]int{"f": flights, "h": flights * 9 / 14}[table] {
		key := fmt.Sprintf("%s#%03d", airports[r.IntN(len(airports))], flight)
		at := int64(1704067200000) + r.Int64N(130*24*3600)*1000
		if r.IntN(12) == 0 {
			at += r.Int64N(1000)
		}
		add := func(qualifier, value string) {
			for version := range 1 + r.IntN(8)/7 + r.IntN(9)/8 {
				out = append(out, fmt.Sprintf("('%s', '%s', %d, %s)", key, qualifier, at+int64(version)*60000, value))
			}
		}
		add("carrier", of("'aa'", "'aa'", "'dl'", "'ua'", "'AA'", "''"))
		if r.IntN(9) > 0 {
			add("delay", of(fmt.Sprintf("'%d'", r.IntN(90)-20), fmt.Sprintf("'%d'", r.IntN(300)), "'0'", "'NA'", "NULL", "' 7'", "'12.5'"))
		}
		if r.IntN(6) > 0 {
			add("dist", fmt.Sprintf("'%d.%s'", 100+r.IntN(4000), of("0", "25", "5", "75")))
		}
		if r.IntN(3) > 0 {
			add("dest", "'"+of(airports...)+"'")
		}
		if r.IntN(4) == 0 {
			add("note", of("'late'", "'1e2'", "X'00FF'", "'2024-02-29'", "''", "NULL", "'-0'", "'123456789012'"))
		}
	}
	return out
}

// RecordedFlights is the number of flights in the recorded reports.
const RecordedFlights = 70
