-- The server of the apps' databases.
\getenv apps_admin_password APPS_DB_ADMIN_PASSWORD

-- The orchestrator's, for the databases and roles of apps (containers.database_admin_url).
CREATE ROLE apps_admin LOGIN CREATEDB CREATEROLE PASSWORD :'apps_admin_password';
-- It sees which app uses up all connections. From PostgreSQL 16 on it gets one that is reserved, too.
GRANT pg_read_all_stats, pg_signal_backend TO apps_admin;
SELECT current_setting('server_version_num')::integer >= 160000 AS has_reserved_connections \gset
\if :has_reserved_connections
GRANT pg_use_reserved_connections TO apps_admin;
\endif
-- It limits the temporary files of apps.
GRANT SET ON PARAMETER temp_file_limit TO apps_admin;

REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC;
GRANT CONNECT ON DATABASE postgres TO apps_admin;
