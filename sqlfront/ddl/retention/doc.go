// Package retention reads what statements say of how long cells are kept: the options of CREATE and ALTER
// TABLE and TABLEGROUP, and the attributes of HBase's shell (KV_ATTRIBUTES).
package retention
