package cli

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/driver"
)

// A data source name with this prefix is a server of hbasekv, which holds the store.

const ServerScheme = "mysql://"

// OpenStore opens a store, or the server of one.
func OpenStore(dsn string, more ...func(*driver.Config)) (*sql.DB, error) {
	if strings.HasPrefix(dsn, ServerScheme) {
		cfg, err := ServerConfig(dsn)
		if err != nil {
			return nil, err
		}
		return OpenServer(cfg)
	}
	cfg, err := driver.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	for _, set := range more {
		set(cfg)
	}
	c, err := driver.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}

func OpenServer(cfg *mysql.Config) (*sql.DB, error) {
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}

// ServerConfig parses mysql://user:password@host:3306/database?parameters. The parameter socket
// is the path of the server's socket; others are go-sql-driver/mysql's. A password that is
// omitted is read from MYSQL_PWD.
func ServerConfig(dsn string) (*mysql.Config, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		var parse *url.Error // it contains the password
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return nil, fmt.Errorf("the data source name mysql://... cannot be read: %w", err)
	}
	query := u.Query()
	c := mysql.NewConfig()
	c.User, c.DBName = u.User.Username(), strings.TrimPrefix(u.Path, "/")
	if c.DBName == "" {
		c.DBName = driver.DefaultDB
	}
	if c.Passwd, _ = u.User.Password(); c.Passwd == "" {
		c.Passwd = os.Getenv("MYSQL_PWD")
	}
	c.Net, c.Addr = "tcp", u.Host
	if u.Hostname() == "" {
		c.Addr = "127.0.0.1" + u.Host
	}
	if socket := query.Get("socket"); socket != "" {
		c.Net, c.Addr = "unix", socket
	}
	query.Del("socket")
	text := c.FormatDSN()
	if len(query) > 0 {
		joint := "?"
		if strings.Contains(text[strings.LastIndexByte(text, '/'):], "?") {
			joint = "&"
		}
		text += joint + query.Encode()
	}
	c, err = mysql.ParseDSN(text)
	if err != nil {
		return nil, fmt.Errorf("the parameters of the data source name mysql://...: %w", err)
	}
	c.Logger = &mysql.NopLogger{}
	return c, nil
}

// WithoutPassword is a data source name for messages.
func WithoutPassword(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil || !strings.HasPrefix(dsn, ServerScheme) || u.User == nil {
		return dsn
	}
	u.User = url.User(u.User.Username())
	return u.String()
}

// OpenReadOnly opens an existing store, and does not create one.
func OpenReadOnly(dsn string, more ...func(*driver.Config)) (*sql.DB, error) {
	return OpenStore(dsn, append(more, func(cfg *driver.Config) { cfg.ReadOnly = true })...)
}
