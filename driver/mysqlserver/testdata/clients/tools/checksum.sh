#!/usr/bin/env bash
# checksum.sh: has pt-table-checksum go through all tables. Its own table has an index beside its
# primary key, so that it can only explain; the statements that it explains are run here.
set -euo pipefail
mariadb --no-defaults --socket="$HBASEKV_SOCKET" --user=root "$HBASEKV_DATABASE" <<'SQL'
CREATE TABLE `t$f` (K varbinary(64) NOT NULL, Q varbinary(64) NOT NULL, T bigint NOT NULL, V varbinary(255), PRIMARY KEY (K, Q, T));
INSERT INTO `t$f` VALUES ('a', 'q', 1, 'one'), ('b', 'q', 2, NULL);
SQL
checksum() { pt-table-checksum --socket="$HBASEKV_SOCKET" --user=root --databases="$HBASEKV_DATABASE" "$@" h=localhost 2>&1; }
out=$(checksum --explain)
grep -q 't$f' <<<"$out"
select=$(sed -n 's/^REPLACE INTO .* SELECT ?, ?, ?, ?, ?, ?, /SELECT /p' <<<"$out")
mariadb --no-defaults --socket="$HBASEKV_SOCKET" --user=root --batch --skip-column-names -e "$select" | grep -q '^2'
echo step explain
if out=$(checksum); then exit 1; fi
grep -q 'other than the primary key' <<<"$out"
echo step refused
