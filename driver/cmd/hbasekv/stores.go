package main

// The stores that data source names with a scheme can name.
import _ "github.com/hbasekv/hbasekv/kv/hbase"
