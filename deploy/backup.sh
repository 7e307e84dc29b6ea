#!/bin/sh
# Writes a backup of the platform into a new folder: the databases and roles of both PostgreSQL servers, the storage of apps, and
# configuration with its keys.
#
#   backup.sh FOLDER CONFIGURATION...
#
# POSTGRES_URL and APPS_POSTGRES_URL are the superusers of the two servers, without a database and without the password, which is in
# PGPASSFILE. DOCKER_HOST and APPSERVER_INSTANCE name the engine and the installation, if they are not the default ones. Needs root,
# docker, and pg_dump of the servers' version or a newer one. The folder holds all secrets: encrypt what leaves the machine.
set -eu
folder=${1:?usage: backup.sh FOLDER CONFIGURATION...}
shift
: "${POSTGRES_URL:?}" "${APPS_POSTGRES_URL:?}"
instance=${APPSERVER_INSTANCE:-appserver}
umask 077
mkdir "$folder"

dump() { pg_dump --format=custom --file="$folder/$2-$3.dump" "$1/$3"; }
# The platform's own database comes first: what is in OpenFGA and not in it does no harm, and the server repairs the reverse.
for database in appserver openfga kratos; do dump "$POSTGRES_URL" platform "$database"; done
for database in $(psql -At "$APPS_POSTGRES_URL/postgres" -c "select datname from pg_database where starts_with(datname, 'app_') order by 1"); do
  dump "$APPS_POSTGRES_URL" apps "$database"
done
# After the databases, so that no owner is missing.
pg_dumpall --globals-only --dbname="$POSTGRES_URL/postgres" --file="$folder/platform-roles.sql"
pg_dumpall --globals-only --dbname="$APPS_POSTGRES_URL/postgres" --file="$folder/apps-roles.sql"

volumes=$(docker volume ls --quiet --filter "label=appserver.instance=$instance" --filter label=appserver.storage)
for volume in $volumes; do
  docker volume inspect "$volume" > "$folder/$volume.volume.json"
  tar --directory "$(docker volume inspect --format '{{.Mountpoint}}' "$volume")" --create --file "$folder/$volume.volume.tar" .
done
tar --absolute-names --create --file "$folder/configuration.tar" "$@"

# The last file: without it the backup is not complete.
cd "$folder"
sha256sum -- * > SHA256SUMS.part
mv SHA256SUMS.part SHA256SUMS
