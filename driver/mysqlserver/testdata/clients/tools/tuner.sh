#!/usr/bin/env bash
# tuner.sh: runs mysqltuner to its end. It reads the account and the socket from a file of options.
set -euo pipefail
options=$(mktemp) passwords=$(mktemp)
trap 'rm -f "$options" "$passwords"' EXIT
echo secret >"$passwords" # in place of hundreds that it tries
printf '[client]\nuser=root\nsocket=%s\n' "$HBASEKV_SOCKET" >"$options"
out=$(mysqltuner --defaults-file "$options" --passwordfile "$passwords" --nocolor --noask 2>&1)
for section in 'Storage Engine Statistics' 'Performance Metrics' 'InnoDB Metrics' 'Replication Metrics' 'Recommendations'; do
  grep -q "$section" <<<"$out" || { echo "$out"; exit 1; }
done
# Perl tells of the status variables that are not here; a statement that fails is another thing.
if grep -E 'division by zero|Failed to execute|FAIL Execute' <<<"$out"; then exit 1; fi
echo step report
