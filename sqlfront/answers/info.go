package answers

import "fmt"

// Info is what MySQL's clients additionally show about a statement: the numbers of its rows and warnings.
// Most statements have none.
type Info struct {
	format  infoFormat
	numbers [3]int64
}

// infoFormat is the format of the numbers, in their order.
type infoFormat uint8

const (
	noInfo infoFormat = iota
	updateInfo
	insertInfo
	loadInfo
)

// The formats are MySQL's, which clients parse.
var infoFormats = [...]string{
	updateInfo: "Rows matched: %d  Changed: %d  Warnings: %d",
	insertInfo: "Records: %d  Duplicates: %d  Warnings: %d",
	loadInfo:   "Records: %d  Deleted: 0  Skipped: %d  Warnings: %d",
}

// String is the info as MySQL sends it, empty for none.
func (i Info) String() string {
	if i.format == noInfo {
		return ""
	}
	return fmt.Sprintf(infoFormats[i.format], i.numbers[0], i.numbers[1], i.numbers[2])
}

// OneChanged is the info of an UPDATE that has found one row and changed it.
func OneChanged() Info { return OfUpdate(1, 1, 0) }

// OfUpdate is the info of an UPDATE.
func OfUpdate(matched, changed, warnings int64) Info {
	return Info{updateInfo, [3]int64{matched, changed, warnings}}
}

// OfInsert is the info of an INSERT or REPLACE of several rows.
func OfInsert(records, duplicates, warnings int64) Info {
	return Info{insertInfo, [3]int64{records, duplicates, warnings}}
}

// OfLoad is the info of a LOAD DATA.
func OfLoad(records, skipped, warnings int64) Info {
	return Info{loadInfo, [3]int64{records, skipped, warnings}}
}
