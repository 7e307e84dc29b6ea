-- Roles and databases, one of each service. No service is a superuser, and no role can connect to the database of another.
\getenv appserver_password APPSERVER_DB_PASSWORD
\getenv openfga_password OPENFGA_DB_PASSWORD
\getenv kratos_password KRATOS_DB_PASSWORD

CREATE ROLE appserver LOGIN PASSWORD :'appserver_password';
CREATE ROLE openfga LOGIN PASSWORD :'openfga_password';
CREATE ROLE kratos LOGIN PASSWORD :'kratos_password';

CREATE DATABASE appserver OWNER appserver;
CREATE DATABASE openfga OWNER openfga;
CREATE DATABASE kratos OWNER kratos;
REVOKE CONNECT, TEMPORARY ON DATABASE appserver, openfga, kratos, postgres, template1 FROM PUBLIC;
