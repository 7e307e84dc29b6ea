#!/bin/sh
# Restores a backup of backup.sh on two empty PostgreSQL servers and an engine without volumes of this installation. Nothing of the
# platform may run. Its configuration is restored before, with tar.
#
#   restore.sh FOLDER
#
# POSTGRES_URL and APPS_POSTGRES_URL are the superusers of the two servers, without a database and without the password, which is in
# PGPASSFILE. DOCKER_HOST names the engine, if it is not the default one. Needs root, docker, and pg_restore of the version of the pg_dump or a newer one.
set -eu
folder=$(cd "${1:?usage: restore.sh FOLDER}" && pwd)
: "${POSTGRES_URL:?}" "${APPS_POSTGRES_URL:?}"
(cd "$folder" && sha256sum --check --quiet SHA256SUMS)

# A second restore over the first one would mix two states.
for url in "$POSTGRES_URL" "$APPS_POSTGRES_URL"; do
  databases=$(psql -At "$url/postgres" -c "select datname from pg_database where datname not in ('postgres', 'template0', 'template1') order by 1")
  if [ -n "$databases" ]; then
    echo "restore.sh: expected an empty server, found the databases" $databases >&2
    exit 1
  fi
done

roles() {
  superuser=$(psql -At "$1/postgres" -c 'select current_user')
  # The superuser exists, and keeps its password.
  sed -e "/^CREATE ROLE \"\{0,1\}$superuser\"\{0,1\};/d" -e "/^ALTER ROLE \"\{0,1\}$superuser\"\{0,1\} /d" "$folder/$2-roles.sql" |
    psql -q -v ON_ERROR_STOP=1 "$1/postgres"
  # Rights on these databases are in no dump. Without this, apps could connect to them.
  psql -q "$1/postgres" -c 'revoke connect, temporary on database postgres, template1 from public'
}

roles "$POSTGRES_URL" platform
for dump in "$folder"/platform-*.dump; do pg_restore --create --exit-on-error --dbname="$POSTGRES_URL/postgres" "$dump"; done

roles "$APPS_POSTGRES_URL" apps
psql -q "$APPS_POSTGRES_URL/postgres" -c 'grant connect on database postgres to apps_admin'
for dump in "$folder"/apps-*.dump; do
  if [ ! -e "$dump" ]; then continue; fi
  database=$(basename "$dump" .dump)
  database=${database#apps-}
  # A dump can contain code of the app, in a constraint for example. It must not run as the superuser: the role of the app restores it.
  PGPASSWORD=$(openssl rand -hex 16)
  export PGPASSWORD
  run() { (unset PGPASSWORD; psql -q -v ON_ERROR_STOP=1 "$APPS_POSTGRES_URL/postgres"); }
  run <<SQL
create database "$database" owner "$database" template template0;
revoke connect, temporary on database "$database" from public;
alter role "$database" login password '$PGPASSWORD';
SQL
  pg_restore --no-owner --exit-on-error --dbname="$APPS_POSTGRES_URL/$database?user=$database" "$dump"
  run <<SQL
alter role "$database" nologin password null;
SQL
  unset PGPASSWORD
done

for archive in "$folder"/*.volume.tar; do
  if [ ! -e "$archive" ]; then continue; fi
  volume=$(basename "$archive" .volume.tar)
  jq -r '.[0].Labels | to_entries[] | "--label", "\(.key)=\(.value)"' "$folder/$volume.volume.json" |
    xargs docker volume create "$volume" > /dev/null
  tar --directory "$(docker volume inspect --format '{{.Mountpoint}}' "$volume")" --extract --preserve-permissions --file "$archive"
done
