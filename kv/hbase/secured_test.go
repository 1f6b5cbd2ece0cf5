package hbase

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/registry"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
)

var securedFlag = flag.Bool("secured", false, "start HBases that are secured, by Kerberos and by TLS")

// startSecured starts a separate HBase, and returns its quorum and folder.
func startSecured(t testing.TB, port int, env ...string) (quorum, dir string) {
	if !*securedFlag {
		t.Skip("no secured HBase: give -secured")
	}
	dir = t.TempDir()
	run := func(verb string) string {
		cmd := exec.Command("./hbase-local", verb, dir)
		cmd.Env = append(os.Environ(), append(env, fmt.Sprintf("HBASE_PORT=%d", port), "HBASE_HEAP=512m")...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	t.Cleanup(func() { run("clean") })
	return run("start"), dir
}

// onSecured makes what follows run on another HBase than that of the tests.
func onSecured(t *testing.T, quorum, parameters string) {
	q, p := quorumOfTests, parametersOfTests
	quorumOfTests, parametersOfTests = quorum, parameters
	t.Cleanup(func() { quorumOfTests, parametersOfTests = q, p })
}

// kerberosOf returns the parameters of a user of an HBase that startSecured has started.
func kerberosOf(dir, user string) string {
	return "auth=kerberos&principal=" + user + "&keytab=" + dir + "/kdc/keytab&krb5Conf=" + dir + "/kdc/krb5.conf&zooKeeperService=zookeeper/localhost"
}

// TestKerberos runs on an HBase that requires Kerberos, like its ZooKeeper, with each protection.
func TestKerberos(t *testing.T) {
	life := 20 * time.Second
	if *long {
		life = time.Minute
	}
	quorum, dir := startSecured(t, 22018, "HBASE_PROTECTION=authentication,integrity,privacy", fmt.Sprintf("HBASE_TICKET_LIFE=%.0f", life.Seconds()),
		"HBASE_ZOOKEEPER_LOGIN=1", "HBASE_ACCESS=1", "HBASE_SUPERUSER=alice")
	for _, protection := range []string{"", "integrity", "auth-conf"} {
		t.Run("Tandem"+protection, func(t *testing.T) {
			parameters := kerberosOf(dir, "alice")
			if protection != "" {
				parameters += "&protection=" + protection
			}
			onSecured(t, quorum, parameters)
			t.Run("Scans", TestTandemScans)
			t.Run("Writes", TestTandemWrites)
			t.Run("Large", largeValues)
		})
	}
	t.Run("Tickets", func(t *testing.T) { ticketsEnd(t, quorum, kerberosOf(dir, "alice"), life) })
	t.Run("Refused", func(t *testing.T) { refusedLogins(t, quorum, dir) })
	t.Run("Cut", func(t *testing.T) { cutLogins(t, quorum, dir) })
	t.Run("Rights", func(t *testing.T) { rightsOfHBase(t, quorum, dir) })
	t.Run("Readers", func(t *testing.T) { readersOfHBase(t, quorum, dir) })
	t.Run("Registry", func(t *testing.T) { withoutZooKeeper(t, quorum, kerberosOf(dir, "alice")) })
}

// largeValues sends and receives messages of many frames.
func largeValues(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("a"))
	db := openSQL(t, "?multiRow=apply")
	for _, n := range []int{1, 65_000, 65_536, 1_000_000} {
		value := strings.Repeat("x", n)
		_, err := db.Exec("REPLACE INTO `"+name+"$a` (K, Q, V) VALUES (?, 'q', ?)", fmt.Sprint(n), value)
		require.NoError(t, err)
		var got string
		require.NoError(t, db.QueryRow("SELECT V FROM `"+name+"$a` WHERE K = ?", fmt.Sprint(n)).Scan(&got))
		require.True(t, value == got)
	}
}

// ticketsEnd reads for longer than tickets live, and then makes new connections.
func ticketsEnd(t *testing.T, quorum, parameters string, life time.Duration) {
	lives := 2.5
	if *long {
		lives = 5
	}
	onSecured(t, quorum, parameters)
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("a"))
	db := openSQL(t, "?multiRow=apply&scanCaching=10")
	var rows []string
	for i := range 100 {
		rows = append(rows, fmt.Sprintf("('%03d', 'q', 'v')", i))
	}
	_, err := db.Exec("REPLACE INTO `" + name + "$a` (K, Q, V) VALUES " + strings.Join(rows, ", "))
	require.NoError(t, err)
	r, err := db.Query("SELECT K FROM `" + name + "$a`")
	require.NoError(t, err)
	defer r.Close()
	for i := range 100 {
		require.True(t, r.Next(), r.Err())
		var k string
		require.NoError(t, r.Scan(&k))
		require.Equal(t, fmt.Sprintf("%03d", i), k)
		time.Sleep(time.Duration(lives * float64(life) / 100))
	}
	require.False(t, r.Next())
	require.NoError(t, r.Err())
	w := newWire(s.access) // with new connections
	defer w.close()
	region, err := s.cluster.tableRegions(context.Background(), name)
	require.NoError(t, err)
	_, err = w.connection(context.Background(), region[0].server)
	require.NoError(t, err)
}

// zooKeeperOf returns alice's parameters with another principal of ZooKeeper.
func zooKeeperOf(dir, service string) string {
	return strings.ReplaceAll(kerberosOf(dir, "alice"), "zooKeeperService=zookeeper/localhost", "zooKeeperService="+service)
}

// refusedLogins requires that refused logins are errors in time that say what is wrong.
func refusedLogins(t *testing.T, quorum, dir string) {
	_, err := openURI(context.Background(), "hbase+rpc://"+masterOf(t, quorum, kerberosOf(dir, "alice"))+"/?user=alice")
	require.Error(t, err)
	require.Regexp(t, "uthentication is required|wants Kerberos", err.Error())
	conf, err := os.ReadFile(dir + "/kdc/krb5.conf")
	require.NoError(t, err)
	noKDC := filepath.Join(t.TempDir(), "krb5.conf")
	require.NoError(t, os.WriteFile(noKDC, []byte(strings.ReplaceAll(string(conf), "kdc = localhost:", "kdc = localhost:1")), 0o600))
	krb5 := "krb5Conf=" + dir + "/kdc/krb5.conf&zooKeeperService=zookeeper/localhost"
	for parameters, says := range map[string]string{
		"auth=kerberos&principal=alice&password=geheim&" + krb5:           "does not accept the key or password of alice",
		"auth=kerberos&principal=nobody&password=geheim&" + krb5:          "does not know the user",
		"auth=kerberos&principal=alice@OTHER.COM&password=geheim&" + krb5: "KDC",
		kerberosOf(dir, "carol"):                                          "has no key for carol",
		kerberosOf(dir, "alice") + "&service=hive":                        "does not know the service hive/localhost",
		"auth=kerberos&principal=alice&keytab=" + dir + "/kdc/keytab&rpcTimeout=3s&zooKeeperService=zookeeper&krb5Conf=" + noKDC: "KDC",
		"auth=kerberos&ccache=" + dir + "/none&" + krb5: "kinit",
		"user=alice":                                 "requires a login: add zooKeeperService",
		zooKeeperOf(dir, "hive"):                     "does not know the service hive/127.0.0.1",
		zooKeeperOf(dir, "hbase/localhost"):          "ZooKeeper refuses the login",
		kerberosOf(dir, "alice") + "&protection=all": "authentication, integrity or privacy",
	} {
		start := time.Now()
		s, err := openURI(context.Background(), "hbase://"+quorum+"/?"+parameters)
		if err == nil {
			s.Close()
		}
		require.ErrorContains(t, err, says, parameters)
		require.NotContains(t, err.Error(), "geheim")
		require.Less(t, time.Since(start), DefaultTimeout+2*time.Second)
	}
}

// masterOf asks ZooKeeper for the master.
func masterOf(t *testing.T, quorum, parameters string) string {
	o, err := parseURI("hbase://" + quorum + "/?" + parameters)
	require.NoError(t, err)
	o, err = o.complete()
	require.NoError(t, err)
	a, err := o.access()
	require.NoError(t, err)
	if a.login != nil {
		defer a.login.Close()
	}
	master, err := o.finder(a)(context.Background(), registry.Master)
	require.NoError(t, err)
	return master
}

// cutLogins ends the connections to ZooKeeper, or those to HBase, after different numbers of bytes from the
// server: each is one error, in time.
func cutLogins(t *testing.T, quorum, dir string) {
	for _, zooKeeper := range []bool{true, false} {
		for n := 0; n < 400; n += 23 {
			o, err := parseURI("hbase://" + quorum + "/?rpcTimeout=300ms&" + kerberosOf(dir, "alice"))
			require.NoError(t, err)
			var d net.Dialer
			o.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := d.DialContext(ctx, network, addr)
				if err != nil || (addr == quorum) != zooKeeper {
					return conn, err
				}
				return &endingConn{Conn: conn, left: n}, nil
			}
			s, err := Open(context.Background(), o)
			if err == nil {
				s.Close()
			}
			require.Error(t, err, "after %d bytes", n)
		}
	}
}

// endingConn ends after a number of bytes have been read.
type endingConn struct {
	net.Conn
	left int
}

func (c *endingConn) Read(b []byte) (int, error) {
	if c.left == 0 {
		c.Close()
	}
	n, err := c.Conn.Read(b[:min(len(b), max(c.left, 1))])
	c.left -= n
	return n, err
}

// rightsOfHBase uses a user without rights, who sees no table, and whose statements HBase refuses if they use
// a catalog that was read before, as after a REVOKE.
func rightsOfHBase(t *testing.T, quorum, dir string) {
	onSecured(t, quorum, kerberosOf(dir, "bob"))
	bobs := openTest(t)
	bob, err := sql.Open("hbasekv", uriOfTests("information_schema", ""))
	require.NoError(t, err)
	defer bob.Close()
	_, err = bob.Exec("CREATE DATABASE " + newName())
	require.ErrorContains(t, err, "Error 1044")
	require.ErrorContains(t, err, "Insufficient permissions")

	parametersOfTests = kerberosOf(dir, "alice")
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("a"))
	_, err = s.Catalog(context.Background())
	require.NoError(t, err)
	alices := s.cluster.rpc
	s.cluster.rpc = bobs.cluster.rpc
	defer func() { s.cluster.rpc = alices }()
	for what, do := range map[string]func(kv.Txn, *kv.Table) error{
		"scan": func(txn kv.Txn, table *kv.Table) error {
			c, err := txn.Scan(context.Background(), []*kv.Table{table}, &kv.Scan{})
			require.NoError(t, err)
			defer c.Close()
			require.False(t, c.Next())
			return c.Err()
		},
		"write": func(txn kv.Txn, table *kv.Table) error {
			return errors.Join(txn.Put(context.Background(), table, kv.Cell{Row: []byte("r"), Qualifier: []byte("q"), Timestamp: 1, Value: []byte("v")}), txn.Commit(context.Background()))
		},
	} {
		txn := kvtest.Begin(s, kv.TxnOptions{}) // one for each, since a commit ends it
		err := do(txn, txn.Catalog().Table("default", name+"$a"))
		require.ErrorIs(t, err, kv.ErrDenied, what)
		require.ErrorContains(t, storeerr.Map(context.Background(), err), "Error 1142", what)
	}
}

// From HBase's AccessControl.proto, for which gohbase has no messages.
const (
	actionRead  = 0
	actionWrite = 1
	typeTable   = 3
)

// grant gives a user rights on a table, by MasterService's Grant.
func grant(t *testing.T, s *Store, table, user string, actions ...uint64) {
	message := func(b []byte, field protowire.Number, of []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), of)
	}
	name, err := proto.Marshal(pbTable("default", table))
	require.NoError(t, err)
	on := message(nil, 1, name)
	for _, a := range actions {
		on = protowire.AppendVarint(protowire.AppendTag(on, 4, protowire.VarintType), a)
	}
	permission := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), typeTable)
	of := message(message(nil, 1, []byte(user)), 3, message(permission, 4, on))
	request := &pb.ListNamespaceDescriptorsRequest{} // an empty message
	request.ProtoReflect().SetUnknown(message(nil, 1, of))
	require.NoError(t, s.cluster.onMaster(context.Background(), "Grant", request, &pb.ListNamespaceDescriptorsRequest{}, false))
}

// readersOfHBase uses a user who may read or write a table, but to whom HBase does not show its families.
func readersOfHBase(t *testing.T, quorum, dir string) {
	onSecured(t, quorum, kerberosOf(dir, "alice"))
	s, alice := openTest(t), openSQL(t, "")
	name, other := newName(), newName()
	makeTable(t, s, name, nil, familySchema("a", "VERSIONS", "3"), familySchema("b"))
	makeTable(t, s, other, nil, familySchema("a"))
	for at := range 3 {
		_, err := alice.Exec("REPLACE INTO `"+name+"$a` VALUES ('k', 'q', ?, 'v')", at+1)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"GRANT ALL PRIVILEGES ON *.* TO 'root'@'localhost' WITH GRANT OPTION"}, rows(t, alice, "SHOW GRANTS"))
	grant(t, s, name, "bob", actionRead)
	parametersOfTests = kerberosOf(dir, "bob")
	bob := openSQL(t, "")
	require.Eventually(t, func() bool { // servers report their regions to the master every half second
		var n int
		err := bob.QueryRow("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_NAME LIKE '%$%'").Scan(&n)
		return err == nil && n == 2
	}, 20*time.Second, 100*time.Millisecond)
	require.Equal(t, []string{"k|q|3|v"}, rows(t, bob, "SELECT * FROM `"+name+"$a`"))
	require.Equal(t, []string{"3"}, rows(t, bob, "SELECT COUNT(*) FROM `"+name+"$a` FOR SYSTEM_TIME ALL"))
	require.Empty(t, rows(t, bob, "SELECT * FROM `"+name+"$b`"))
	_, err := bob.Exec("REPLACE INTO `" + name + "$a` (K, Q, V) VALUES ('k', 'q', 'w')")
	require.ErrorContains(t, err, "Error 1142")
	_, err = bob.Query("SELECT * FROM `" + other + "$a`")
	require.ErrorContains(t, err, "Error 1146")
	require.Equal(t, []string{"GRANT USAGE ON *.* TO 'root'@'localhost'",
		"GRANT SELECT ON `default`.`" + name + "$a` TO 'root'@'localhost'",
		"GRANT SELECT ON `default`.`" + name + "$b` TO 'root'@'localhost'"}, rows(t, bob, "SHOW GRANTS"))
	grant(t, s, name, "bob", actionRead, actionWrite)
	require.Eventually(t, func() bool { // the master tells the servers through ZooKeeper, after it has answered
		return slices.Contains(rows(t, bob, "SHOW GRANTS"), "GRANT SELECT, INSERT, UPDATE, DELETE ON `default`.`"+name+"$b` TO 'root'@'localhost'")
	}, 20*time.Second, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := bob.Exec("REPLACE INTO `" + name + "$a` (K, Q, V) VALUES ('k', 'q', 'w')")
		return err == nil
	}, 20*time.Second, 100*time.Millisecond)
	require.Equal(t, []string{"w"}, rows(t, alice, "SELECT V FROM `"+name+"$a`"))
}

// withoutZooKeeper asks the master for the servers, without access to ZooKeeper.
func withoutZooKeeper(t *testing.T, quorum, all string) {
	parameters, _, _ := strings.Cut(all, "&zooKeeperService=")
	master := masterOf(t, quorum, all)
	o, err := parseURI("hbase+rpc://localhost:1," + master + "/default?" + parameters)
	require.NoError(t, err)
	var asked atomic.Bool
	var d net.Dialer
	o.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == quorum {
			asked.Store(true)
			return nil, errors.New("ZooKeeper is closed")
		}
		return d.DialContext(ctx, network, addr)
	}
	s, err := Open(context.Background(), o)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.False(t, asked.Load())
	db, err := sql.Open("hbasekv", "hbase+rpc://"+master+"/default?"+parameters)
	require.NoError(t, err)
	defer db.Close()
	name := newName()
	_, err = db.Exec("CREATE TABLE `" + name + "$a` (K varbinary(100), Q varbinary(100), T bigint, V mediumblob, PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	_, err = db.Exec("INSERT INTO `" + name + "$a` (K, Q, V) VALUES ('k', 'q', 'v')")
	require.NoError(t, err)
	require.Equal(t, []string{"k|q|v"}, rows(t, db, "SELECT K, Q, V FROM `"+name+"$a`"))
	_, err = db.Exec("DROP TABLE `" + name + "$a`")
	require.NoError(t, err)
}

// TestTLS runs on an HBase whose servers use TLS and require a client certificate.
func TestTLS(t *testing.T) {
	certs := t.TempDir()
	ca := newCA(t, "one")
	require.NoError(t, os.WriteFile(certs+"/ca.pem", ca.pem(), 0o600))
	ca.issue(t, certs+"/server.pem", "localhost")
	ca.issue(t, certs+"/client.pem", "somebody")
	other := newCA(t, "another")
	require.NoError(t, os.WriteFile(certs+"/other.pem", other.pem(), 0o600))
	other.issue(t, certs+"/stranger.pem", "somebody")
	quorum, _ := startSecured(t, 22118, "HBASE_TLS="+certs)
	good := "tls=true&caFile=" + certs + "/ca.pem&certFile=" + certs + "/client.pem"
	t.Run("Tandem", func(t *testing.T) {
		onSecured(t, quorum, good)
		t.Run("Scans", TestTandemScans)
		t.Run("Writes", TestTandemWrites)
		t.Run("Large", largeValues)
	})
	t.Run("Registry", func(t *testing.T) { withoutZooKeeper(t, quorum, good) })
	for parameters, says := range map[string]string{
		"":                                     "cannot be reached", // without TLS
		"tls=true&caFile=" + certs + "/ca.pem": "tls: |broke|reset",
		"tls=true&caFile=" + certs + "/other.pem&certFile=" + certs + "/client.pem": "unknown authority",
		"tls=true&caFile=" + certs + "/ca.pem&certFile=" + certs + "/stranger.pem":  "tls: |broke|reset",
		"tls=true&caFile=" + certs + "/ca.pem&certFile=" + certs + "/none.pem":      "no such file",
		"tls=true&caFile=" + certs + "/ca.pem&certFile=" + certs + "/ca.pem":        "certFile",
		"zooKeeperTLS=true": "ZooKeeper quorum",
	} {
		s, err := openURI(context.Background(), "hbase://"+quorum+"/?rpcTimeout=10s&"+parameters)
		if err == nil {
			s.Close()
		}
		require.Error(t, err, parameters)
		if parameters != "" {
			require.Regexp(t, says, err.Error(), parameters)
		}
	}
}

// certificateAuthority signs certificates.
type certificateAuthority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newCA(t *testing.T, name string) *certificateAuthority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &certificateAuthority{certificate, key}
}

func (c *certificateAuthority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.certificate.Raw})
}

// issue writes a key and a certificate for a host.
func (c *certificateAuthority) issue(t *testing.T, path, host string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, c.certificate, &key.PublicKey, c.key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	out := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	require.NoError(t, os.WriteFile(path, append(out, c.pem()...), 0o600))
}

// BenchmarkProtections reads single rows and 100,000 cells from an HBase without login, and from one with
// Kerberos, with each protection.
func BenchmarkProtections(b *testing.B) {
	simple, _ := startSecured(b, 22218)
	secured, dir := startSecured(b, 22018, "HBASE_PROTECTION=authentication,integrity,privacy", "HBASE_ZOOKEEPER_LOGIN=1")
	type cluster struct{ name, quorum, parameters string }
	clusters := []cluster{{"simple", simple, ""}}
	for _, p := range []string{"authentication", "integrity", "privacy"} {
		clusters = append(clusters, cluster{p, secured, kerberosOf(dir, "alice") + "&protection=" + p})
	}
	name := newName()
	for i, c := range clusters {
		quorumOfTests, parametersOfTests = c.quorum, c.parameters
		db := openSQL(b, "?multiRow=apply")
		if i < 2 {
			_, err := db.Exec("CREATE TABLE `" + name + "$a` (K varbinary(100), Q varbinary(100), T bigint, V mediumblob, PRIMARY KEY (K, Q, T))")
			require.NoError(b, err)
			for i := range 100 {
				var values []string
				for q := range 1000 {
					values = append(values, fmt.Sprintf("('%04d', '%04d', 1, '%s')", i*10+q/100, q%100, strings.Repeat("v", 50)))
				}
				_, err := db.Exec("INSERT INTO `" + name + "$a` VALUES " + strings.Join(values, ", "))
				require.NoError(b, err)
			}
		}
	}
	dbs := make([]*sql.DB, len(clusters))
	for i, c := range clusters {
		quorumOfTests, parametersOfTests = c.quorum, c.parameters
		dbs[i] = openSQL(b, "")
	}
	for _, question := range []struct{ name, sql string }{
		{"get", "SELECT V FROM `" + name + "$a` WHERE K = '0500' AND Q = '0001'"}, {"scan", "SELECT K, Q, V FROM `" + name + "$a`"}} {
		read := func(b *testing.B, db *sql.DB) {
			rows, err := db.Query(question.sql)
			require.NoError(b, err)
			for rows.Next() {
			}
			require.NoError(b, rows.Err())
			rows.Close()
		}
		// Otherwise the cluster that comes first would pay for what its Java virtual machine has yet to
		// compile.
		for start := time.Now(); time.Since(start) < 20*time.Second; {
			for _, db := range dbs {
				read(b, db)
			}
		}
		for i, c := range clusters {
			b.Run(question.name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					read(b, dbs[i])
				}
			})
		}
	}
}
