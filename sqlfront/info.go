package sqlfront

import (
	"fmt"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/write"
)

// Info is what MySQL's clients show of a statement besides: the numbers of its rows
// and warnings. Most statements have none.
type Info struct {
	format  infoFormat
	numbers [3]int64
}

// infoFormat is that of the numbers, in their order.
type infoFormat uint8

const (
	noInfo infoFormat = iota
	updateInfo
	insertInfo
	loadInfo
)

// The formats are MySQL's, which clients take apart.
var infoFormats = [...]string{
	updateInfo: "Rows matched: %d  Changed: %d  Warnings: %d",
	insertInfo: "Records: %d  Duplicates: %d  Warnings: %d",
	loadInfo:   "Records: %d  Deleted: 0  Skipped: %d  Warnings: %d",
}

func (i Info) String() string {
	if i.format == noInfo {
		return ""
	}
	return fmt.Sprintf(infoFormats[i.format], i.numbers[0], i.numbers[1], i.numbers[2])
}

// OneChanged is the info of an UPDATE that has found one row and changed it.
func OneChanged() Info { return Info{updateInfo, [3]int64{1, 1, 0}} }

// LastInfo is that of the statement that was run last.
func (s *Session) LastInfo() Info { return s.lastInfo }

// infoOf is what there is to say of a statement that has changed rows. Of an INSERT of
// one row given by values there is nothing.
func (s *Session) infoOf(st parse.Statement, r write.Result) Info {
	warnings := int64(s.warnings.all)
	switch st := st.(type) {
	case *parse.Update:
		return Info{updateInfo, [3]int64{r.Matched, r.Changed, warnings}}
	case *parse.Insert:
		if rows, ok := st.Node.Rows.(sqlparser.Values); ok && len(rows) == 1 {
			return Info{}
		}
		return Info{insertInfo, [3]int64{r.Matched, max(r.Matched-r.Found, r.Found-r.Matched), warnings}}
	}
	return Info{}
}
