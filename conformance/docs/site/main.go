// Command site makes static HTML pages of docs/, the README and the changelog:
//
//	go run ./conformance/docs/site DIRECTORY
//
// The directory is created if it is missing; files of the same names are replaced. The pages need
// no server and fetch nothing from elsewhere.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./conformance/docs/site DIRECTORY, in the repository's root")
		os.Exit(2)
	}
	if err := build(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}
