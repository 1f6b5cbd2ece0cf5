package retention

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// forever is HBase's HConstants.FOREVER and ALL_VERSIONS: the largest value of its attributes, which means no
// limit.
const forever = math.MaxInt32

// Set applies options; later ones override earlier ones. KV_ATTRIBUTES sets all of its attributes, any other
// option only its own. The error is 1210 for a value that an option cannot have.
func Set(r *kv.Retention, options []ast.RetentionOption) (err error) {
	next := *r
	for _, o := range options {
		var n int64
		switch o.Name {
		case attributesOption:
			err = setAttributes(&next, o.Value)
		case "TTL":
			next.TTLSeconds, err = limit(o.Name, o.Value)
		case "MAX_VERSIONS":
			n, err = limit(o.Name, o.Value)
			next.MaxVersions = int(n)
		case "MIN_VERSIONS":
			n, err = limit(o.Name, o.Value)
			next.MinVersions = int(n)
		case "DROP_EXPIRED_PARTITIONS":
			next.DropExpired, err = onOff(o.Name, o.Value)
		}
		if err != nil {
			return err
		}
	}
	*r = next
	return nil
}

// limit is a number of seconds or versions; 0 means none.
func limit(option, text string) (int64, error) {
	if text == "FOREVER" && option == "TTL" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, wrong(option, "'%.100s' is not an integer", text)
	case n < 0:
		return 0, wrong(option, "%s is negative", text)
	case n > forever:
		return 0, wrong(option, "%.100s is larger than %d", text, forever)
	case n == forever:
		return 0, nil
	}
	return n, nil
}

func onOff(option, text string) (bool, error) {
	switch {
	case slices.Contains([]string{"ON", "TRUE", "1"}, text):
		return true, nil
	case slices.Contains([]string{"OFF", "FALSE", "0"}, text):
		return false, nil
	}
	return false, wrong(option, "'%.100s' is neither ON nor OFF", text)
}

// wrong is error 1210 about an option.
func wrong(option, format string, args ...any) error {
	return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to "+option+": "+format, args...)
}

// Check refuses with 1210 what HBase's master refuses: a minimum number of versions above the maximum. name
// is the table's or group's.
func Check(name string, r kv.Retention) error {
	if r.MaxVersions > 0 && r.MinVersions > r.MaxVersions {
		return wrong("MIN_VERSIONS", "%d is more than MAX_VERSIONS of '%s', which is %d", r.MinVersions, name, r.MaxVersions)
	}
	return nil
}

// Retain is Set and Check. The error is 1210.
func Retain(name string, r *kv.Retention, options []ast.RetentionOption) error {
	if err := Set(r, options); err != nil {
		return err
	}
	return Check(name, *r)
}

// Narrows reports whether options make a table, or a table group, keep less than before, so that cells are
// removed.
func Narrows(r kv.Retention, options []ast.RetentionOption) bool {
	next := r
	if Set(&next, options) != nil {
		return false // and nothing changes
	}
	return next.KeepsLess(r)
}

// SetGroup alters a table group and the retention of its tables: of all of them, or of none if one cannot
// have it. The error is 1210, or the store's.
func SetGroup(c *kv.CatalogChange, g kv.Group, options []ast.RetentionOption) error {
	if len(options) == 0 {
		return c.AlterGroup(g)
	}
	if err := Retain(g.Name, &g.Retention, options); err != nil {
		return err
	}
	for _, t := range c.Catalog().Families(g.Database, g.Name) {
		next := *t
		if err := Retain(t.Name, &next.Retention, options); err != nil {
			return err
		}
		if err := c.AlterTable(next); err != nil {
			return err
		}
	}
	return c.AlterGroup(g)
}
