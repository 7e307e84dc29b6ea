import { driver as embedded } from "@appserver/authorization-embedded/driver";
import { driver as openfga } from "@appserver/authorization-openfga/driver";
import { driver as postgresBroker } from "@appserver/broker-postgres/driver";
import { driver as rabbitmq } from "@appserver/broker-rabbitmq/driver";
import { driver as memory } from "@appserver/cache-memory/driver";
import { driver as postgresCache } from "@appserver/cache-postgres/driver";
import { driver as redis } from "@appserver/cache-redis/driver";
import { driver as docker } from "@appserver/containers-docker/driver";
import { driver as kubernetes } from "@appserver/containers-kubernetes/driver";
import { driver as processes } from "@appserver/containers-process/driver";
import { driver as accounts } from "@appserver/identity-accounts/driver";
import { driver as dev } from "@appserver/identity-dev/driver";
import { driver as kratos } from "@appserver/identity-kratos/driver";
import { type DriverCatalogue, ownDriver } from "./driver-catalogue.ts";

/** The platform's own drivers. A new one is a line here; its options, endpoints and tables come with it. */
export const builtInDrivers: DriverCatalogue = {
  authorization: [openfga, embedded].map(ownDriver),
  broker: [postgresBroker, rabbitmq].map(ownDriver),
  cache: [memory, postgresCache, redis].map(ownDriver),
  containers: [docker, processes, kubernetes].map(ownDriver),
  identity: [kratos, accounts, dev].map(ownDriver),
};
