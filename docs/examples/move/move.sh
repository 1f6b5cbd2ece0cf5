#!/bin/sh
# Moves a table, with all versions of its cells, from one store to another: from an HBase into a directory
# for a test, and from the directory into an HBase on the day that it outgrows one machine.
#
#     move.sh hbase://zk1,zk2:2181/shop ./data orders
#     move.sh ./data hbase://zk1,zk2:2181/shop orders
#
# TABLE is a family, orders$f, or a table group with all of its families. It is left where it was. Nobody
# should write to it meanwhile.
set -eu
from=$1 to=$2 table=$3

# A move that was stopped has left a file that says how far it came; only then may the table be there.
if [ ! -e "$table.copy" ] && hbasekv sql "$to" -e "SELECT 1 FROM $table LIMIT 1" >/dev/null 2>&1; then
  echo "move.sh: $to has a table $table already" >&2
  exit 1
fi

# It ends with a comparison of both sides, by the number of cells and a digest of them.
hbasekv copy "$from" "$to" "$table" --progress none
