package rights

import (
	"fmt"
	"strings"
)

// Privileges is a set of privileges.
type Privileges uint32

// The privileges of MySQL 5.7, in the order in which it shows them.
const (
	Select Privileges = 1 << iota
	Insert
	Update
	Delete
	Create
	Drop
	Reload
	Shutdown
	Process
	File
	References
	Index
	Alter
	ShowDatabases
	Super
	CreateTemporary
	LockTables
	Execute
	ReplicationSlave
	ReplicationClient
	CreateView
	ShowView
	CreateRoutine
	AlterRoutine
	CreateUser
	Event
	Trigger
	CreateTablespace
	// GrantOption is not part of ALL.
	GrantOption
)

// The privileges that can be granted on each level, without GrantOption.
const (
	OnTable = Select | Insert | Update | Delete | Create | Drop | References | Index | Alter | CreateView | ShowView |
		Trigger
	OnDatabase = OnTable | CreateTemporary | LockTables | Execute | CreateRoutine | AlterRoutine | Event
	OnAll      = GrantOption - 1
)

var names = [...]string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "RELOAD", "SHUTDOWN", "PROCESS", "FILE",
	"REFERENCES", "INDEX", "ALTER", "SHOW DATABASES", "SUPER", "CREATE TEMPORARY TABLES", "LOCK TABLES", "EXECUTE",
	"REPLICATION SLAVE", "REPLICATION CLIENT", "CREATE VIEW", "SHOW VIEW", "CREATE ROUTINE", "ALTER ROUTINE", "CREATE USER",
	"EVENT", "TRIGGER", "CREATE TABLESPACE", "GRANT OPTION"}

// Named is the privilege of that name, in upper case; 0 if there is none.
func Named(name string) Privileges {
	for i, n := range names {
		if n == name {
			return 1 << i
		}
	}
	return 0
}

// Has reports whether all of want are in the set.
func (p Privileges) Has(want Privileges) bool { return p&want == want }

// Each calls fn with each privilege's name, in MySQL's order.
func (p Privileges) Each(fn func(name string)) {
	for i, n := range names {
		if p&(1<<i) != 0 {
			fn(n)
		}
	}
}

// Names are the names of the privileges, in MySQL's order.
func (p Privileges) Names() (out []string) {
	p.Each(func(name string) { out = append(out, name) })
	return out
}

// String is the names separated by commas.
func (p Privileges) String() string { return strings.Join(p.Names(), ", ") }

// MarshalText is the stored form.
func (p Privileges) MarshalText() ([]byte, error) { return []byte(strings.Join(p.Names(), ",")), nil }

// UnmarshalText reads MarshalText's form. The error is for an unknown name.
func (p *Privileges) UnmarshalText(text []byte) error {
	*p = 0
	if len(text) == 0 {
		return nil
	}
	for name := range strings.SplitSeq(string(text), ",") {
		one := Named(name)
		if one == 0 {
			return fmt.Errorf("unknown privilege %q", name)
		}
		*p |= one
	}
	return nil
}
