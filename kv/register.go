package kv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Opener opens the store that a URI names, as in hbase://host/?parameter=value. It checks the
// URI's parameters, and returns when the context ends.
type Opener func(ctx context.Context, uri string) (Store, error)

var openers struct {
	sync.Mutex
	byScheme map[string]Opener
}

// Register registers a kind of store under the scheme of its URIs, like database/sql's
// Register for drivers. It panics if the scheme is already registered.
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

// Open opens the store that a URI names, with the Opener of its scheme. If there is
// none, the error says so. Other errors are the Opener's.
func Open(ctx context.Context, uri string) (Store, error) {
	scheme, _, ok := strings.Cut(uri, "://")
	if !ok {
		return nil, fmt.Errorf("%q is not a URI", uri)
	}
	openers.Lock()
	open := openers.byScheme[scheme]
	openers.Unlock()
	if open == nil {
		return nil, unknownScheme(scheme)
	}
	return open(ctx, uri)
}

// unknownScheme returns the error for a scheme without a store. For hbase it names the package
// to import.
func unknownScheme(scheme string) error {
	if scheme == "hbase" {
		return errors.New("no store is registered for hbase://: import _ \"github.com/hbasekv/hbasekv/kv/hbase\" to register one")
	}
	return fmt.Errorf("unknown store %s://: a store is a directory or an hbase:// URI", scheme)
}
