package mysqlserver_test

import (
	"context"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

var fullSize = flag.Bool("clients.full", false, "let clients read a million rows and a value of 16 MiB")

// The steps of a client, each a line of its program.
const (
	reading  = "connect create insert point prefix in order page aggregate join"
	writing  = "update delete transaction 1062 1064 1146"
	lengthy  = "large stream cancel"
	allSteps = reading + " reflect " + writing + " " + lengthy + " reconnect"
)

// clientProgram is a program of testdata/clients that runs the steps with a driver.
type clientProgram struct {
	name    string
	command []string // $CLIENTS is where the clients are installed
	needs   string   // a command that succeeds if the client is installed
	steps   string
}

func pythonClient(name, imports, steps string, command ...string) clientProgram {
	const python = "$CLIENTS/python/bin/python"
	return clientProgram{name, append([]string{python}, command...), python + " -c 'import " + imports + "'", steps}
}

func nodeClient(name, steps string, command ...string) clientProgram {
	return clientProgram{name, append([]string{"node"}, command...), "test -d $CLIENTS/node/node_modules/" + name, steps}
}

func javaClient(name, library, steps string, command ...string) clientProgram {
	return clientProgram{name, append([]string{"java/run"}, command...),
		"which javac && ls $CLIENTS/java/lib/" + library + "-*", steps}
}

// connectorJ9 is beside the version that frameworks use, in a separate folder.
const connectorJ9 = "which javac && ls $CLIENTS/java/lib9/mysql-connector-j-9*"

func phpClient(name, extension, how string) clientProgram {
	return clientProgram{name, []string{"php", "php/scenario.php", how},
		"php -r 'exit(extension_loaded(\"" + extension + "\") ? 0 : 1);'", allSteps}
}

func perlClient(name, driver string, how ...string) clientProgram {
	return clientProgram{name, append([]string{"perl", "perl/dbi.pl", driver}, how...),
		"perl -MDBD::" + driver + " -e 1", allSteps}
}

const frameSteps = reading + " 1146 stream"

var clientPrograms = []clientProgram{
	pythonClient("PyMySQL", "pymysql", allSteps, "python/pymysql_program.py"),
	pythonClient("mysql-connector-python", "mysql.connector", allSteps+" prepared", "python/connector_program.py"),
	pythonClient("mysqlclient", "MySQLdb", allSteps, "python/mysqlclient_program.py"),
	pythonClient("aiomysql", "aiomysql", allSteps, "python/aiomysql_program.py"),
	pythonClient("pyodbc", `pyodbc; assert "MariaDB Unicode" in pyodbc.drivers()`, allSteps, "python/pyodbc_program.py"),
	pythonClient("SQLAlchemy by PyMySQL", "sqlalchemy, pymysql", allSteps, "python/sqlalchemy_program.py", "pymysql"),
	pythonClient("SQLAlchemy by mysqlclient", "sqlalchemy, MySQLdb", allSteps, "python/sqlalchemy_program.py", "mysqldb"),
	pythonClient("SQLAlchemy by mysql-connector-python", "sqlalchemy, mysql.connector", allSteps,
		"python/sqlalchemy_program.py", "mysqlconnector"),
	pythonClient("pandas", "pandas, sqlalchemy, pymysql", frameSteps, "python/frames_program.py", "pandas"),
	pythonClient("polars", "polars, sqlalchemy, pymysql", frameSteps, "python/frames_program.py", "polars"),
	pythonClient("connectorx", "connectorx, polars, sqlalchemy", frameSteps, "python/frames_program.py", "connectorx"),
	nodeClient("mysql2", allSteps, "node/driver.js", "mysql2"),
	nodeClient("mysql2", allSteps, "node/driver.js", "mysql2", "prepared"),
	nodeClient("mysql", allSteps, "node/driver.js", "mysql"),
	nodeClient("knex", allSteps, "node/knex.js"),
	nodeClient("sequelize", reading+" reflect "+writing+" large reconnect", "node/sequelize.js"),
	nodeClient("typeorm", reading+" reflect "+writing+" large stream reconnect", "node/typeorm.js"),
	nodeClient("drizzle-orm", reading+" "+writing, "node/drizzle.js"),
	javaClient("Connector/J", "mysql-connector-j", allSteps, "Jdbc", "mysql", "sslMode=DISABLED"),
	javaClient("Connector/J prepared", "mysql-connector-j", allSteps, "Jdbc", "mysql",
		"sslMode=DISABLED&useServerPrepStmts=true&useCursorFetch=true&rewriteBatchedStatements=true"),
	{"Connector/J 9", []string{"env", "LIB=lib9", "java/run", "Jdbc", "mysql", "sslMode=DISABLED"}, connectorJ9, allSteps},
	{"Connector/J 9 prepared", []string{"env", "LIB=lib9", "java/run", "Jdbc", "mysql",
		"sslMode=DISABLED&useServerPrepStmts=true&useCursorFetch=true&rewriteBatchedStatements=true"}, connectorJ9, allSteps},
	javaClient("mariadb-java-client", "mariadb-java-client", allSteps, "Jdbc", "mariadb", "sslMode=disable"),
	javaClient("mariadb-java-client prepared", "mariadb-java-client", allSteps, "Jdbc", "mariadb",
		"useServerPrepStmts=true&useBulkStmts=true"),
	javaClient("HikariCP", "HikariCP", "connect create update reconnect", "Frameworks", "hikari"),
	javaClient("jOOQ", "jooq-codegen", reading+" reflect update delete transaction 1062", "Frameworks", "jooq"),
	javaClient("Hibernate", "hibernate-core", reading+" reflect update delete transaction 1062", "Frameworks", "hibernate"),
	phpClient("PDO", "pdo_mysql", "native"),
	phpClient("PDO with emulated statements", "pdo_mysql", "emulated"),
	phpClient("mysqli", "mysqli", "mysqli"),
	perlClient("DBD::mysql", "mysql"),
	perlClient("DBD::mysql prepared", "mysql", "prepared"),
	perlClient("DBD::MariaDB", "MariaDB"),
	perlClient("DBD::MariaDB prepared", "MariaDB", "prepared"),
	{"RMySQL", []string{"Rscript", "r/rmysql.R"}, "Rscript -e 'library(RMySQL)'",
		reading + " reflect " + writing + " stream reconnect"},
	pythonClient("phpMyAdmin", `pymysql, os; assert os.path.exists("/usr/share/phpmyadmin")`,
		"connect structure browse sql export server", "php/phpmyadmin.py"),
	pythonClient("Adminer", `pymysql, os; assert os.path.exists("/usr/share/adminer")`,
		"connect structure browse insert sql export server", "php/adminer.py"),
	{"Superset", []string{"$CLIENTS/superset/bin/python", "superset/superset_program.py"},
		"$CLIENTS/superset/bin/python -c 'import superset'", "connect browse SQL-Lab chart"},
	{"mariadb-dump", []string{"tools/dumps.sh", "mariadb-dump"}, "which mariadb mariadb-dump", "create dump restore compare"},
	{"mydumper and myloader", []string{"tools/dumps.sh", "mydumper"}, "which mariadb mydumper myloader", "create dump restore compare"},
	{"mysqltuner", []string{"tools/tuner.sh"}, "which mysqltuner mariadb", "report"},
	{"pt-table-checksum", []string{"tools/checksum.sh"}, "which pt-table-checksum mariadb", "explain refused"},
	pythonClient("mycli", "mycli", "connect", "python/mycli_program.py"),
	pythonClient("Django", "django, MySQLdb", reading+" reflect "+writing+" reconnect", "python/django_program.py"),
}

// TestClients runs each client's program with its own server. A client that is not
// installed is skipped: testdata/clients/install installs them, and the environment
// variable HBASEKV_TEST_CLIENTS says where.
func TestClients(t *testing.T) {
	for _, p := range clientPrograms {
		t.Run(p.name, func(t *testing.T) {
			p.require(t)
			done := p.run(t, serveClients(t, mysqlserver.Options{}))
			for _, step := range strings.Fields(p.steps) {
				require.Contains(t, done, step)
			}
		})
	}
}

// TestJasperReports prints a report as a PDF, whose text pdftotext reads.
func TestJasperReports(t *testing.T) {
	pdf := filepath.Join(t.TempDir(), "people.pdf")
	p := javaClient("JasperReports", "jasperreports", "", "Jasper", "mysql", pdf)
	p.require(t)
	require.Contains(t, p.run(t, serveClients(t, mysqlserver.Options{})), "print")
	text, err := exec.Command("pdftotext", "-layout", pdf, "-").Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("pdftotext is not installed")
	}
	require.NoError(t, err)
	require.Regexp(t, `City 0[^$]*Person 0\b[^$]*City 1[^$]*Person 1\b`, string(text))
}

func (p clientProgram) expand(s string) string {
	dir := os.Getenv("HBASEKV_TEST_CLIENTS")
	if dir == "" {
		dir = "/nowhere"
	}
	return strings.ReplaceAll(s, "$CLIENTS", dir)
}

// require skips the test if the client is not installed.
func (p clientProgram) require(t *testing.T) {
	if out, err := exec.Command("sh", "-c", p.expand(p.needs)).CombinedOutput(); err != nil {
		t.Skipf("%s is not installed: %s", p.name, lastLine(out))
	}
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

var stepLine = regexp.MustCompile(`(?m)^step (.*)$`)

// run runs the program to its end, and returns the steps that it has done.
func (p clientProgram) run(t *testing.T, s *clientServer) (done []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	args := make([]string, len(p.command))
	for i := range args {
		args[i] = p.expand(p.command[i])
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = filepath.Join("testdata", "clients")
	cmd.Env = append(os.Environ(), s.environment(p)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, m := range stepLine.FindAllSubmatch(out, -1) {
		done = append(done, string(m[1]))
	}
	return done
}

// clientServer is a server on a socket and on a port, with a database that clients
// may fill.
type clientServer struct {
	*served
	port int
}

const clientDatabase = "shop"

func serveClients(t *testing.T, o mysqlserver.Options) *clientServer {
	s := &clientServer{served: serve(t, ":memory:", o)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.port = l.Addr().(*net.TCPAddr).Port
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mysqlserver.Serve(ctx, l, s.db, o) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	execAll(t, s.db, "CREATE DATABASE "+clientDatabase)
	return s
}

// environment is how a program is told about the server.
func (s *clientServer) environment(p clientProgram) []string {
	large, stream := 1<<20, 10_000
	if *fullSize {
		large, stream = 1<<24, 1_000_000
	}
	return slices.Concat([]string{
		"HBASEKV_SOCKET=" + s.socket, "HBASEKV_PORT=" + strconv.Itoa(s.port), "HBASEKV_DATABASE=" + clientDatabase,
		"HBASEKV_LARGE=" + strconv.Itoa(large), "HBASEKV_STREAM=" + strconv.Itoa(stream),
	}, []string{
		"NODE_PATH=" + p.expand("$CLIENTS/node/node_modules"), "PYTHONDONTWRITEBYTECODE=1",
		"CLIENTS=" + p.expand("$CLIENTS"),
	})
}
