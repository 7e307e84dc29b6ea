-- Beside the platform's own database: those of the services that it stands on.
CREATE DATABASE openfga;
CREATE DATABASE kratos;
