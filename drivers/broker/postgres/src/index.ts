export { brokerMigrations } from "./broker-migrations.ts";
export { PostgresBroker, type PostgresBrokerOptions } from "./postgres-broker.ts";
export { pruneDeadLetters } from "./prune-dead-letters.ts";
