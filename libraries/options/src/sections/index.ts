import type { KnownNames } from "../unknown-names.ts";
import { authSection, authServicesSection, identitySection } from "./auth.ts";
import { brokerSection } from "./broker.ts";
import { cacheSection } from "./cache.ts";
import { databaseSection } from "./database.ts";
import { devSection } from "./dev.ts";
import { containersSection, dockerSection, orchestratorSection, platformSection } from "./orchestrator.ts";
import { rabbitmqSection } from "./rabbitmq.ts";
import { consoleSection, graphqlSection, serverSection } from "./server.ts";
import {
  activitySection,
  appsSection,
  assetsSection,
  hooksSection,
  metricsSection,
  permissionsSection,
  proxySection,
  retentionSection,
  settingsEncryptionSection,
  telemetrySection,
  upstreamSection,
} from "./services.ts";

export { brokerIssues, databaseIssues, identityIssues, poolIssues, queuePrefixIssues } from "./issues.ts";
export {
  activitySection,
  appsSection,
  assetsSection,
  authSection,
  authServicesSection,
  brokerSection,
  cacheSection,
  consoleSection,
  containersSection,
  databaseSection,
  devSection,
  dockerSection,
  graphqlSection,
  hooksSection,
  identitySection,
  metricsSection,
  orchestratorSection,
  permissionsSection,
  platformSection,
  proxySection,
  rabbitmqSection,
  retentionSection,
  serverSection,
  settingsEncryptionSection,
  telemetrySection,
  upstreamSection,
};

/** Every option of the platform, in the order of the reference page. Each process reads some of the sections. */
export const allSections = {
  server: serverSection,
  graphql: graphqlSection,
  console: consoleSection,
  database: databaseSection,
  cache: cacheSection,
  broker: brokerSection,
  rabbitmq: rabbitmqSection,
  auth: authSection,
  identity: identitySection,
  authServices: authServicesSection,
  settingsEncryption: settingsEncryptionSection,
  apps: appsSection,
  assets: assetsSection,
  upstream: upstreamSection,
  proxy: proxySection,
  hooks: hooksSection,
  activity: activitySection,
  permissions: permissionsSection,
  retention: retentionSection,
  telemetry: telemetrySection,
  metrics: metricsSection,
  orchestrator: orchestratorSection,
  docker: dockerSection,
  containers: containersSection,
  platform: platformSection,
  dev: devSection,
} as const;

/** Names that any process uses. They are not reported as unknown: one environment and one file can serve all processes. */
export const knownNames: KnownNames = {
  sections: Object.values(allSections),
  variables: [
    // appctl
    "APPSERVER_CA",
    "APPSERVER_GRPC_URL",
    "APPSERVER_TOKEN",
    // Tests
    "APPSERVER_CORPORA",
    "APPSERVER_FAULT_",
    "APPSERVER_TEST_",
    // Kubernetes sets it in containers next to a Service named appserver.
    "APPSERVER_PORT",
    "APPSERVER_PORT_",
    "APPSERVER_SERVICE_",
  ],
};
