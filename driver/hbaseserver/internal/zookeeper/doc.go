// Package zookeeper answers what HBase's clients ask of a ZooKeeper
// (https://zookeeper.apache.org/doc/current/zookeeperProgrammers.html): who the master is and where hbase:meta
// lies. Its nodes never change, so that no watch ever fires. It keeps no sessions: a client that comes
// back with one gets it.
package zookeeper
