package driver

import (
	"regexp"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// An address is where another driver finds a server. Read as a path, it would create a store
// in a directory of that name, which may contain a password.
var (
	// What begins like this is a path, whatever follows.
	plainPath = regexp.MustCompile(`^(?:\.{0,2}/|\.?\.?\\|~|[A-Za-z]:[/\\])`)
	// user:password@tcp(host:3306)/shop, unix(/run/mysqld.sock)/shop, user@/shop; a password may
	// contain any byte.
	mysqlAddress = regexp.MustCompile(`^[^/\\?]*:.*@[A-Za-z][A-Za-z0-9_+.-]*\(|^[^?]*@[A-Za-z][A-Za-z0-9_+.-]*\(` +
		`|^(?:tcp[46]?|unix)\(|^[^/\\?]*@/`)
	// scheme://..., and jdbc:mysql://...
	schemeAddress = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.:-]*)://`)
	// user:password@host, user@host:3306/shop, localhost:3306, 10.0.0.1:3306/shop
	hostAddress = regexp.MustCompile(`^[^/\\?]*:[^?]*@|^[^/\\?]*@[^/\\?]*:[0-9]{1,5}(?:[/?]|$)` +
		`|^(?:localhost|[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}(?:[/?]|$)`)
	// host=... user=..., server=...;user id=...
	wordsAddress = regexp.MustCompile(`(?i)^\s*(?:host|hostaddr|port|server|data source|addr|user|user id|uid` +
		`|password|pwd|dbname|database)\s*=`)
)

// addressOf is the kind of server whose address dsn is; empty for a store's name.
func addressOf(dsn string) string {
	switch found := schemeAddress.FindStringSubmatch(dsn); {
	case strings.HasPrefix(dsn, "file:"), found == nil && plainPath.MatchString(dsn):
		return ""
	case found != nil && scheme(dsn) != "" && !isElsewhere(found[1]):
		return "" // whether it is known is found out when it is opened
	case found != nil && strings.EqualFold(found[1], "hbase"):
		return "an HBase cluster, whose scheme is written hbase://"
	case found != nil && !ofMySQL.MatchString(found[1]):
		return "another server, by " + found[1] + "://"
	case found != nil, mysqlAddress.MatchString(dsn):
		return "a MySQL server"
	case hostAddress.MatchString(dsn), wordsAddress.MatchString(dsn):
		return "a server, by its host"
	}
	return ""
}

// elsewhere are the schemes of servers that programs migrate from.
var elsewhere = map[string]bool{"mysql": true, "mysqlx": true, "mariadb": true, "postgres": true, "postgresql": true,
	"cockroachdb": true, "sqlserver": true, "oracle": true, "clickhouse": true, "mongodb": true, "redis": true, "rediss": true,
	"http": true, "https": true, "tcp": true, "unix": true, "sqlite": true, "cassandra": true, "tikv": true, "etcd": true}

// isElsewhere is true for mysql, and for mysql+pymysql, which also names the driver.
func isElsewhere(scheme string) bool {
	server, _, _ := strings.Cut(scheme, "+")
	return elsewhere[server]
}

var ofMySQL = regexp.MustCompile(`(?i)mysql|mariadb`)

var databaseBehind = regexp.MustCompile(`[^/]/([A-Za-z0-9_]+)(?:\?[^/@]*)?$`)

// refuseAddress says what to write instead of an address. It does not repeat the address,
// which may contain a password.
func refuseAddress(dsn string) error {
	kind := addressOf(dsn)
	if kind == "" {
		return nil
	}
	database := "shop"
	if found := databaseBehind.FindStringSubmatch(dsn); found != nil {
		database = found[1]
	}
	return mysqlerr.New(mysqlerr.WrongArguments, "the data source name is the address of %s, and not of a store: write "+
		"a directory, as in ./data?db=%[2]s, or hbase://host:2181/%[2]s for an HBase cluster; a server that `hbasekv serve` "+
		"runs is opened by the driver \"mysql\". A directory of such a name is written file:./name", kind, database)
}
