#!/bin/sh
# sessions.sh [N]: queue N sessions (10,000) of mixed priority and let four workers, 25 slots each, do them: on SQLite, and on
# PostgreSQL where scripts/services.sh finds one. Prints rates, how many ran at once, and how many began out of order; fails
# if a session did not end or ran twice. What a run does is left out: this measures records and queue.
set -eu
cd "$(dirname "$0")/../.."
if [ -z "${SESSION_TEST_POSTGRES:-}" ]; then
  services=$(mktemp -d)
  trap 'scripts/services.sh down "$services"; rm -rf "$services"' EXIT
  trap 'exit 130' INT TERM
  scripts/services.sh up "$services" postgres
  eval "$(scripts/services.sh env "$services" 2>/dev/null)"
fi
SESSION_TEST_LOAD=${1:-10000} go test -count=1 -timeout 60m -run '^TestLoad$' -v ./internal/store/sql
