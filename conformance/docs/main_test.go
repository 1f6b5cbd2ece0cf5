// Package docs runs the code of the pages, and holds their links, figures of parameters and pictures.
package docs

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
