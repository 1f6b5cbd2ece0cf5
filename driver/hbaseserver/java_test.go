package hbaseserver_test

import (
	"context"
	"flag"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

var javaFlag = flag.Bool("java", false, "run what HBase's own client does; it takes Java 17, and mvn fetches its jars")

// overTLS is a server with TLS, and how to log in to it with a certificate: by the registry, and by
// ZooKeeper.
func overTLS(t *testing.T) (registry, zookeeper []string) {
	a := newAuthority(t)
	s := serve(t, ":memory:", hbaseserver.Options{TLS: a.server()})
	s.exec("CREATE USER suite@localhost REQUIRE SUBJECT '/CN=suite'", "GRANT ALL ON *.* TO suite@localhost WITH GRANT OPTION",
		"ALTER USER root@localhost IDENTIFIED BY 'secret'")
	own, trusted := a.files(a.issue("suite"))
	both := []string{"hbase.client.netty.tls.enabled", "true",
		"hbase.rpc.tls.keystore.location", own, "hbase.rpc.tls.keystore.type", "PEM",
		"hbase.rpc.tls.truststore.location", trusted, "hbase.rpc.tls.truststore.type", "PEM"}
	return slices.Concat(both, byRegistry(s.calls)), slices.Concat(both, byZooKeeper(t, s.zookeeper), []string{
		"zookeeper.client.secure", "true", "zookeeper.clientCnxnSocket", "org.apache.zookeeper.ClientCnxnSocketNetty",
		"zookeeper.ssl.keyStore.location", own, "zookeeper.ssl.keyStore.type", "PEM",
		"zookeeper.ssl.trustStore.location", trusted, "zookeeper.ssl.trustStore.type", "PEM"})
}

// otherClients are further versions of HBase's client, besides that of hbase-local.
var otherClients = map[string]string{"2.5": "2.5.13-hadoop3", "3.0": "3.0.0-beta-1"}

// TestJava runs testdata/Suite.java with each way to find the server and each client, and on the HBase whose
// quorum is in HBASEKV_TEST_ZK, if there is one, and expects the same of both.
func TestJava(t *testing.T) {
	if !*javaFlag {
		t.Skip("-java is not given")
	}
	s := serve(t, ":memory:", hbaseserver.Options{})
	zookeeper := byZooKeeper(t, s.zookeeper)
	registry := byRegistry(s.calls)
	registryOverTLS, zookeeperOverTLS := overTLS(t)
	ways := map[string][]string{
		"ZooKeeper":           zookeeper,
		"registry":            registry,
		"gzip":                slices.Concat(zookeeper, []string{"hbase.client.rpc.compressor", "org.apache.hadoop.io.compress.GzipCodec"}),
		"without cell blocks": slices.Concat(zookeeper, []string{"hbase.client.default.rpc.codec", ""}),
		"TLS":                 registryOverTLS,
		"ZooKeeper over TLS":  zookeeperOverTLS,
	}
	if quorum := os.Getenv("HBASEKV_TEST_ZK"); quorum != "" {
		ways["HBase"] = byZooKeeper(t, quorum)
	}
	for name, arguments := range ways {
		t.Run(name, func(t *testing.T) { suite(t, "", arguments) })
	}
	for name, version := range otherClients {
		t.Run(name+" by ZooKeeper", func(t *testing.T) { suite(t, version, zookeeper) })
		t.Run(name+" by registry", func(t *testing.T) { suite(t, version, registry) })
	}
}

// byRegistry makes a client find its server by the address of its calls.
func byRegistry(calls string) []string {
	return []string{"hbase.client.registry.impl", "org.apache.hadoop.hbase.client.RpcConnectionRegistry",
		"hbase.client.bootstrap.servers", calls}
}

// byZooKeeper makes a client find its server by a quorum, which version 3 does not do by default.
func byZooKeeper(t *testing.T, quorum string) []string {
	host, port, err := net.SplitHostPort(quorum)
	require.NoError(t, err)
	return []string{"hbase.client.registry.impl", "org.apache.hadoop.hbase.client.ZKConnectionRegistry",
		"hbase.zookeeper.quorum", host, "hbase.zookeeper.property.clientPort", port}
}

// suite runs testdata/Suite.java with a version of HBase's client; "" is that of hbase-local.
func suite(t *testing.T, version string, arguments []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	fetch := exec.CommandContext(ctx, "../../kv/hbase/hbase-local", "classpath")
	fetch.Env = append(os.Environ(), "HBASE_CLIENT="+version)
	jars, err := fetch.Output()
	require.NoError(t, err)
	args := append([]string{"-Xmx256m", "-cp", strings.TrimSpace(string(jars)), "testdata/Suite.java"}, arguments...)
	out, err := exec.CommandContext(ctx, "java", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Equal(t, "OK", lines[len(lines)-1], "%s", out)
}
