package hbaseserver_test

import (
	"context"
	"flag"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

var javaFlag = flag.Bool("java", false, "run what HBase's own client does; it takes Java 17, and mvn fetches its jars")

// overTLS is a server of its own, and how to log in to it by a certificate.
func overTLS(t *testing.T) []string {
	a := newAuthority(t)
	s := serve(t, ":memory:", hbaseserver.Options{TLS: a.server()})
	s.exec("CREATE USER suite@localhost REQUIRE SUBJECT '/CN=suite'", "GRANT ALL ON *.* TO suite@localhost WITH GRANT OPTION",
		"ALTER USER root@localhost IDENTIFIED BY 'secret'")
	own, trusted := a.files(a.issue("suite"))
	return []string{"hbase.client.registry.impl", "org.apache.hadoop.hbase.client.RpcConnectionRegistry",
		"hbase.client.bootstrap.servers", s.calls, "hbase.client.netty.tls.enabled", "true",
		"hbase.rpc.tls.keystore.location", own, "hbase.rpc.tls.keystore.type", "PEM",
		"hbase.rpc.tls.truststore.location", trusted, "hbase.rpc.tls.truststore.type", "PEM"}
}

// TestJava runs testdata/Suite.java, by each way to find the server, and on the HBase whose quorum is in
// HBASEKV_TEST_ZK, if there is one: it expects the same of both.
func TestJava(t *testing.T) {
	if !*javaFlag {
		t.Skip("-java is not given")
	}
	s := serve(t, ":memory:", hbaseserver.Options{})
	host, port, err := net.SplitHostPort(s.zookeeper)
	require.NoError(t, err)
	jars, err := exec.Command("../../kv/hbase/hbase-local", "classpath").Output()
	require.NoError(t, err)
	ways := map[string][]string{
		"ZooKeeper": {"hbase.zookeeper.quorum", host, "hbase.zookeeper.property.clientPort", port},
		"registry": {"hbase.client.registry.impl", "org.apache.hadoop.hbase.client.RpcConnectionRegistry",
			"hbase.client.bootstrap.servers", s.calls},
		"gzip": {"hbase.zookeeper.quorum", host, "hbase.zookeeper.property.clientPort", port,
			"hbase.client.rpc.compressor", "org.apache.hadoop.io.compress.GzipCodec"},
		"without cell blocks": {"hbase.zookeeper.quorum", host, "hbase.zookeeper.property.clientPort", port,
			"hbase.client.default.rpc.codec", ""},
	}
	ways["TLS"] = overTLS(t)
	if quorum := os.Getenv("HBASEKV_TEST_ZK"); quorum != "" {
		host, port, err := net.SplitHostPort(quorum)
		require.NoError(t, err)
		ways["HBase"] = []string{"hbase.zookeeper.quorum", host, "hbase.zookeeper.property.clientPort", port}
	}
	for name, arguments := range ways {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
			defer cancel()
			args := append([]string{"-Xmx256m", "-cp", strings.TrimSpace(string(jars)), "testdata/Suite.java"}, arguments...)
			out, err := exec.CommandContext(ctx, "java", args...).CombinedOutput()
			require.NoError(t, err, "%s", out)
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			require.Equal(t, "OK", lines[len(lines)-1], "%s", out)
		})
	}
}
