#!/usr/bin/env bash
# dumps.sh {mariadb-dump | mydumper}: makes cells with old versions, copies them by the tool into
# another database, and compares them. Each step that is done is a line.
set -euo pipefail
at=(--socket="$HBASEKV_SOCKET" --user=root)
sql() { mariadb --no-defaults "${at[@]}" --batch --skip-column-names "$@"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

versions() { sql -e "SELECT HEX(K), HEX(Q), T, HEX(V) FROM \`$1\`.\`t\$f\` FOR SYSTEM_TIME ALL ORDER BY K, Q, T"; }

sql "$HBASEKV_DATABASE" <<'SQL'
CREATE TABLE `t$f` (K varbinary(64) NOT NULL, Q varbinary(64) NOT NULL, T bigint NOT NULL, V varbinary(255), PRIMARY KEY (K, Q, T));
INSERT INTO `t$f` VALUES ('a', 'q', 1, 'one'), ('a', 'q', 2, NULL), ('a', 'q', 3, ''), ('', '', -1, X'00ff5c27'), (X'fffe', 'q', 1, 'x');
CREATE VIEW people AS SELECT K AS id, MAX(V) AS v FROM `t$f` GROUP BY K;
SQL
echo step create
case $1 in
mariadb-dump)
  mariadb-dump --no-defaults "${at[@]}" --single-transaction "$HBASEKV_DATABASE" >"$work/dump.sql"
  echo step dump
  sql -e "CREATE DATABASE restored"
  # a view names the database that it was made in
  sql restored <"$work/dump.sql"
  ;;
mydumper)
  mydumper "${at[@]}" --database="$HBASEKV_DATABASE" --outputdir="$work/dump" --threads=2 --verbose=3 >"$work/log" 2>&1
  echo step dump
  myloader "${at[@]}" --directory="$work/dump" --source-db="$HBASEKV_DATABASE" --database=restored --threads=2 --verbose=3 >>"$work/log" 2>&1
  if grep CRITICAL "$work/log"; then exit 1; fi
  ;;
esac
echo step restore
[ "$(versions "$HBASEKV_DATABASE")" = "$(versions restored)" ]
[ "$(versions restored | wc -l)" = 5 ]
echo step compare
