package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// tree prints steps, each indented below the one that reads it.
func (o *Options) tree(root *Step) string {
	var b strings.Builder
	if w := o.written(); w != "" && !root.writes() {
		fmt.Fprintf(&b, "-> %s %s\n", capitalized(w), o.Target)
		o.printStep(&b, root, "    ")
	} else {
		o.printStep(&b, root, "")
	}
	if o.Analyze {
		fmt.Fprintf(&b, "took %v\n", o.Took)
	}
	return b.String()
}

func (o *Options) printStep(b *strings.Builder, s *Step, indent string) {
	fmt.Fprintf(b, "%s-> %s%s\n", indent, s.Title, o.actual(s)+cost(s))
	for _, d := range s.Details {
		fmt.Fprintf(b, "%s     %s: %s\n", indent, d.Name, d.Value)
	}
	for _, under := range s.Steps {
		o.printStep(b, under, indent+"    ")
	}
	for _, q := range s.Queries {
		fmt.Fprintf(b, "%s    %s\n", indent, capitalized(subqueryKind(q)))
		o.printStep(b, q, indent+"    ")
	}
}

// actual is what was measured for a step.
func (o *Options) actual(s *Step) string {
	if !o.Analyze || s.Rows < 0 {
		return ""
	}
	out := fmt.Sprintf(" (rows %d", s.Rows)
	if s.reads() {
		out += fmt.Sprintf(", cells %d, %s, partitions %d", s.Stats.Cells, work(s.Stats), s.Stats.Partitions)
	}
	return out + ")"
}

// cost is the time and the memory of a step.
func cost(s *Step) string {
	var out string
	if s.Took > 0 {
		out = fmt.Sprintf(" in %v", s.Took.Round(time.Microsecond))
	}
	if s.Memory > 0 {
		out += fmt.Sprintf(", at most %d KiB", (s.Memory+1023)/1024)
	}
	return out
}

// work is the number of seeks for a store on this machine, or of requests for a remote one.
func work(s kv.ScanStats) string {
	if s.Requests > 0 {
		return fmt.Sprintf("requests %d, bytes %d", s.Requests, s.Bytes)
	}
	return fmt.Sprintf("seeks %d", s.Seeks)
}
