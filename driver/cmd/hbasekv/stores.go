package main

// These packages register the stores of data source names with a scheme.
import _ "github.com/hbasekv/hbasekv/kv/hbase"
