package pebblekv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
)

// Pebble takes a directory without its manifest's marker for a new store, which
// would be a silent loss: a store whose creation has come to its end has the
// marker of its format.
const (
	formatMarker   = "marker.format-version."
	manifestMarker = "marker.manifest."
)

func isComplete(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, formatMarker) })
}

func missing(dir, name string) error {
	return fmt.Errorf("the store at %s cannot be opened: %w: the file %s is missing", dir, kv.ErrCorrupt, name)
}
