package kv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Opener opens the store that a URI names, as in hbase://host/?parameter=value. It
// checks the URI's parameters, and does not outlast the context.
type Opener func(ctx context.Context, uri string) (Store, error)

var openers struct {
	sync.Mutex
	byScheme map[string]Opener
}

// Register makes a kind of store known by the scheme of its URIs, as database/sql's
// Register does with drivers. It panics where the scheme is known already.
func Register(scheme string, open Opener) {
	openers.Lock()
	defer openers.Unlock()
	if openers.byScheme[scheme] != nil {
		panic("kv: Register called twice for the scheme " + scheme)
	}
	if openers.byScheme == nil {
		openers.byScheme = map[string]Opener{}
	}
	openers.byScheme[scheme] = open
}

// Open opens the store that a URI names, by the Opener of its scheme. Where there is
// none, the error says which there are.
func Open(ctx context.Context, uri string) (Store, error) {
	scheme, _, ok := strings.Cut(uri, "://")
	if !ok {
		return nil, fmt.Errorf("%q is no URI", uri)
	}
	openers.Lock()
	open := openers.byScheme[scheme]
	openers.Unlock()
	if open == nil {
		return nil, unknownScheme(scheme)
	}
	return open(ctx, uri)
}

// unknownScheme says what a program lacks. Where it is the package of a store, that is the one
// that there is.
func unknownScheme(scheme string) error {
	if scheme == "hbase" {
		return errors.New("no store is known for hbase://; import _ \"github.com/hbasekv/hbasekv/kv/hbase\" makes one known")
	}
	return fmt.Errorf("no store is known for %s://, and this module has none: a store is a directory, or hbase://", scheme)
}
