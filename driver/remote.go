package driver

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// scheme is the scheme of a store on other machines, as in hbase://host/shop; it
// is empty for paths and file: URIs.
func scheme(path string) string {
	s, _, ok := strings.Cut(path, "://")
	if !ok || s == "file" || s == "" || strings.ContainsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && r != '+' }) {
		return ""
	}
	return s
}

// splitNamespace splits a URI from the database after its hosts.
func splitNamespace(uri string) (path, database string) {
	s, rest, _ := strings.Cut(uri, "://")
	hosts, database, _ := strings.Cut(rest, "/")
	return s + "://" + hosts, database
}

// withoutLogin is a path, or a URI without the user and password before its hosts.
func withoutLogin(path string) string {
	s := scheme(path)
	if s == "" {
		return path
	}
	hosts := strings.TrimPrefix(path, s+"://")
	return s + "://" + hosts[strings.LastIndexByte(hosts, '@')+1:]
}

// target identifies the store: the path, with the store's own parameters.
func (cfg *Config) target() string {
	if len(cfg.StoreParams) == 0 {
		return cfg.Path
	}
	var query []string
	for _, name := range slices.Sorted(maps.Keys(cfg.StoreParams)) {
		query = append(query, url.QueryEscape(name)+"="+url.QueryEscape(cfg.StoreParams[name]))
	}
	return cfg.Path + "/?" + strings.Join(query, "&")
}

// checkRemote refuses parameters that a store on other machines decides itself.
func (cfg *Config) checkRemote() error {
	remote := scheme(cfg.Path) != ""
	const own = "a store on other machines has its own"
	switch {
	case !remote && len(cfg.StoreParams) > 0:
		return unknownParameter(slices.Min(slices.Collect(maps.Keys(cfg.StoreParams))))
	case !remote:
	case cfg.NoSync:
		return badValue("sync", "false", own)
	case cfg.CacheSize != 0:
		return badValue("cache", formatBytes(cfg.CacheSize), own)
	case cfg.TxnMemory != 0:
		return badValue("txnMemory", formatBytes(cfg.TxnMemory), own)
	case cfg.MaxRegionSize != 0:
		return badValue("maxRegionSize", formatMaxRegionSize(cfg), own)
	case cfg.Clock != nil:
		return badValue("clock", formatClock(cfg), own)
	}
	return nil
}
