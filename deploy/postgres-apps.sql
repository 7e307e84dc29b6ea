-- The server of the apps' databases.
\getenv apps_admin_password APPS_DB_ADMIN_PASSWORD

-- The orchestrator's, for the databases and roles of apps (containers.database_admin_url).
CREATE ROLE apps_admin LOGIN CREATEDB CREATEROLE PASSWORD :'apps_admin_password';
-- It gets a connection when apps have used up all others, and sees which app does.
GRANT pg_use_reserved_connections, pg_read_all_stats, pg_signal_backend TO apps_admin;
-- It limits the temporary files of apps.
GRANT SET ON PARAMETER temp_file_limit TO apps_admin;

REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC;
GRANT CONNECT ON DATABASE postgres TO apps_admin;
