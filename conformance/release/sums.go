package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/mod/module"
)

// opener opens a file that is in memory.
func opener(text []byte) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
}

// addSums adds the checksums of modules to a go.sum, in the go command's order.
func addSums(name string, more []sums) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	lines := map[module.Version]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return fmt.Errorf("%s: %q is not a line of a go.sum", name, line)
		}
		lines[module.Version{Path: fields[0], Version: fields[1]}] = fields[2]
	}
	for _, each := range more {
		at := each.module
		lines[at] = each.zip
		lines[module.Version{Path: at.Path, Version: at.Version + "/go.mod"}] = each.mod
	}
	return os.WriteFile(name, formatSums(lines), 0o644)
}

func formatSums(lines map[module.Version]string) []byte {
	var keys []module.Version
	for key := range lines {
		keys = append(keys, key)
	}
	module.Sort(keys)
	var out bytes.Buffer
	for _, key := range keys {
		fmt.Fprintln(&out, key.Path, key.Version, lines[key])
	}
	return out.Bytes()
}
