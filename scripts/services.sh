#!/usr/bin/env bash
# services.sh: PostgreSQL, Redis and an S3 server of your own on this machine, for the tests. No docker, no fixed port,
# nothing outside DIR, not as root where a server refuses that.
#
#   services.sh install               install what is missing (apt and go install; sudo unless root)
#   services.sh up    [DIR] [NAME…]   start all that are installed, or those named: postgres redis s3; again: only what is down
#   services.sh env   [DIR]           print the lines to export: eval "$(scripts/services.sh env)"
#   services.sh stop  [DIR] NAME…     stop some at once, as a crash would, and keep their data and port
#   services.sh start [DIR] NAME…     start those again
#   services.sh down  [DIR]           stop all and remove DIR
#
# DIR is a path with a slash in it; without one it is session-services-UID in the folder for temporary files.
set -euo pipefail

versitygw=github.com/versity/versitygw/cmd/versitygw@v1.8.0
me=${BASH_SOURCE[0]}

die() { echo "services.sh: $*" >&2; exit 1; }
usage() { sed -n '5,12s/^# \{0,1\}//p' "$me" >&2; exit 2; }

[ $# -ge 1 ] || usage
command=$1; shift
dir=${TMPDIR:-/tmp}/session-services-$(id -u)
case ${1:-} in */*) dir=$1; shift ;; esac
names=${*:-postgres redis s3}
for name in $names; do
  case $name in postgres | redis | s3) ;; *) usage ;; esac
done

# program NAME: its path; PostgreSQL's own are not on PATH in Debian, and go install puts what it makes into GOPATH.
program() {
  command -v "$1" && return
  local found
  found=$(ls -d /usr/lib/postgresql/*/bin/"$1" 2>/dev/null | sort -V | tail -1)
  [ -n "$found" ] || { command -v go >/dev/null && found=$(go env GOBIN) && found=${found:-$(go env GOPATH)/bin}/$1; }
  [ -n "${found:-}" ] && [ -x "$found" ] && echo "$found"
}

installed() {
  case $1 in
  postgres) program initdb >/dev/null && program pg_ctl >/dev/null ;;
  redis) program redis-server >/dev/null ;;
  s3) program versitygw >/dev/null ;;
  esac
}

# as runs a program as somebody who is not root: initdb and postgres refuse root.
as() {
  if [ "$(id -u)" != 0 ]; then "$@"; return; fi
  local user=nobody
  id -u postgres >/dev/null 2>&1 && user=postgres
  setpriv --reuid="$(id -u $user)" --regid="$(id -g $user)" --clear-groups "$@"
}

secret() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# free_port finds one below those that the system gives to outgoing connections.
free_port() {
  local port
  for _ in $(seq 100); do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  die "no free port"
}

# keep FILE COMMAND…: what the command says, the first time; the same later.
keep() {
  local file=$1; shift
  [ -s "$file" ] || (umask 077; "$@" >"$file.new" && mv "$file.new" "$file")
  cat "$file"
}

# runs PIDFILE PROGRAM: that process lives and is that program, not one that got its number later.
runs() {
  local pid
  [ -s "$1" ] && read -r pid <"$1" && [[ $(ps -o stat=,comm= -p "$pid") =~ ^[^Z]+\ +"$2" ]]
}

gone() { # PIDFILE PROGRAM
  for _ in $(seq 300); do runs "$1" "$2" || return 0; sleep .1; done
  die "$2 does not end"
}

# ready COMMAND…: wait until it succeeds.
ready() {
  for _ in $(seq 300); do "$@" >/dev/null 2>&1 && return; sleep .1; done
  return 1
}

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1"); }
redis_ping() { (exec 3<>"/dev/tcp/127.0.0.1/$1"; printf 'AUTH %s\r\nPING\r\n' "$2" >&3; read -r _ <&3; read -r answer <&3; [[ $answer == +PONG* ]]); }

postgres_start() {
  local at=$dir/postgres port
  runs "$at/data/postmaster.pid" postgres && return
  port=$(keep "$at.port" free_port)
  if [ ! -s "$at/data/PG_VERSION" ]; then
    as test -x "$dir" || die "$dir is out of reach for the user that PostgreSQL runs as: choose a DIR below /tmp"
    rm -rf "$at"; mkdir "$at"
    keep "$at.secret" secret >"$at/secret"
    [ "$(id -u)" != 0 ] || chown -R "$(as id -u):$(as id -g)" "$at"
    (cd "$at" && as "$(program initdb)" -D data -U session --pwfile=secret -A scram-sha-256 -E UTF8 --locale=C -N) >"$at.log" 2>&1 || { cat "$at.log" >&2; die "initdb failed"; }
    printf "%s\n" "listen_addresses = '127.0.0.1'" "port = $port" "unix_socket_directories = ''" "max_connections = 200" >>"$at/data/postgresql.conf"
  fi
  (cd "$at" && as "$(program pg_ctl)" -D data -l log -w -t 60 start >/dev/null </dev/null) || { cat "$at/log" >&2; die "PostgreSQL does not start"; }
  url postgres POSTGRES "postgres://session:$(cat "$at.secret")@127.0.0.1:$port/postgres?sslmode=disable"
}

postgres_stop() {
  local at=$dir/postgres
  runs "$at/data/postmaster.pid" postgres || return 0
  (cd "$at" && as "$(program pg_ctl)" -D data -m immediate -w stop >/dev/null)
}

redis_start() {
  local at=$dir/redis port secret
  runs "$at/pid" redis-server && return
  mkdir -p "$at"
  port=$(keep "$at.port" free_port); secret=$(keep "$at.secret" secret)
  (umask 077; printf '%s\n' "bind 127.0.0.1" "port $port" "requirepass $secret" 'save ""' "appendonly no" "daemonize yes" \
    "dir \"$at\"" "pidfile \"$at/pid\"" "logfile \"$at/log\"" >"$at/conf")
  "$(program redis-server)" "$at/conf" >/dev/null
  ready redis_ping "$port" "$secret" || { cat "$at/log" >&2; die "Redis does not start"; }
  url redis REDIS "redis://default:$secret@127.0.0.1:$port/0"
}

s3_start() {
  local at=$dir/s3 port secret
  runs "$at/pid" versitygw && return
  mkdir -p "$at/data/session"
  port=$(keep "$at.port" free_port); secret=$(keep "$at.secret" secret)
  ROOT_ACCESS_KEY=session ROOT_SECRET_KEY=$secret nohup "$(program versitygw)" --quiet --port "127.0.0.1:$port" posix "$at/data" >>"$at/log" 2>&1 </dev/null &
  echo $! >"$at/pid"
  ready answers "$port" || { cat "$at/log" >&2; die "the S3 server does not start"; }
  url s3 S3 "s3://session:$secret@127.0.0.1:$port/session?insecure=1&region=us-east-1"
}

redis_stop() { kill_it redis redis-server; }
s3_stop() { kill_it s3 versitygw; }
kill_it() {
  runs "$dir/$1/pid" "$2" || return 0
  kill -KILL "$(cat "$dir/$1/pid")"
  gone "$dir/$1/pid" "$2"
}

url() { printf "export SESSION_TEST_%s='%s'\n" "$2" "$3" >"$dir/$1.env"; chmod 600 "$dir/$1.env"; }

up() {
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd -P) # servers run from other folders
  [ -O "$dir" ] || die "$dir belongs to somebody else"
  [ -e "$dir/.services" ] || [ -z "$(ls -A "$dir")" ] || die "$dir is neither empty nor made by this script"
  : >"$dir/.services"
  chmod 711 "$dir" # PostgreSQL comes as another user
  for name in $names; do
    if ! installed "$name"; then
      [ "$1" = start ] && die "$name is not installed: $me install"
      echo "services.sh: $name is not installed, left out ($me install)" >&2
      continue
    fi
    "${name}_start"
  done
}

down() {
  [ -e "$dir" ] || return 0
  [ -e "$dir/.services" ] || die "$dir was not made by this script; nothing was removed"
  for name in postgres redis s3; do "${name}_stop"; done
  rm -rf "$dir"
}

install() {
  local need=""
  installed postgres || need="$need postgresql"
  installed redis || need="$need redis-server"
  if [ -n "$need" ]; then
    command -v apt-get >/dev/null || die "no apt-get here: install$need by the means of your system"
    local sudo=sudo
    [ "$(id -u)" != 0 ] || sudo=
    $sudo apt-get update -qq
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $need >/dev/null
  fi
  installed s3 || go install "$versitygw"
  for name in postgres redis s3; do installed "$name" || die "$name is still not found"; done
}

case $command in
install) install ;;
up) up up ;;
start) up start ;;
stop) for name in $names; do "${name}_stop"; done ;;
env)
  cat "$dir"/*.env 2>/dev/null || die "nothing runs in $dir: $me up"
  ;;
down) down ;;
*) usage ;;
esac
