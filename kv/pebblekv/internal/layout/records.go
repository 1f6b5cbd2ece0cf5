package layout

import (
	"fmt"
	"strconv"

	"github.com/hbasekv/hbasekv/kv"
)

// The store's own records, and the version of all that this package writes.
const (
	FormatRecord  = "format"
	CatalogRecord = "catalog"
	formatVersion = 1
)

// CheckFormat refuses what a later version has written.
func CheckFormat(format []byte) error {
	v, err := strconv.Atoi(string(format))
	switch {
	case err != nil:
		return fmt.Errorf("%w: its format record is damaged: %q", kv.ErrFormat, format)
	case v > formatVersion:
		return fmt.Errorf("%w: it has format %d, this version reads up to format %d; use a later version of hbasekv",
			kv.ErrFormat, v, formatVersion)
	}
	return nil
}

// FormatText is the present version as its record has it.
func FormatText() []byte { return strconv.AppendInt(nil, formatVersion, 10) }
