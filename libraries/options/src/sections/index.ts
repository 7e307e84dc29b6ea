import { acmeSection } from "./acme.ts";
import { authorizationSection, authSection, identitySection } from "./auth.ts";
import { backupSection } from "./backup.ts";
import { brandingSection } from "./branding.ts";
import { brokerSection } from "./broker.ts";
import { cacheSection } from "./cache.ts";
import { databaseSection } from "./database.ts";
import { devSection } from "./dev.ts";
import { mailSection, messageIssues, notificationsSection } from "./messages.ts";
import { containersSection, orchestratorSection, platformSection, registrySection } from "./orchestrator.ts";
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
import { databaseDriverSection, dataSection, upSection } from "./up.ts";

export { backupIssues, databaseIssues, poolIssues, queuePrefixIssues } from "./issues.ts";
export {
  acmeSection,
  activitySection,
  appsSection,
  assetsSection,
  authorizationSection,
  authSection,
  backupSection,
  brandingSection,
  brokerSection,
  cacheSection,
  consoleSection,
  containersSection,
  databaseDriverSection,
  databaseSection,
  dataSection,
  devSection,
  graphqlSection,
  hooksSection,
  identitySection,
  mailSection,
  messageIssues,
  metricsSection,
  notificationsSection,
  orchestratorSection,
  permissionsSection,
  platformSection,
  proxySection,
  registrySection,
  retentionSection,
  serverSection,
  settingsEncryptionSection,
  telemetrySection,
  upSection,
  upstreamSection,
};

/** Every option of the platform, in the order of the reference page. Each process reads some of the sections. */
export const allSections = {
  server: serverSection,
  acme: acmeSection,
  graphql: graphqlSection,
  console: consoleSection,
  branding: brandingSection,
  databaseDriver: databaseDriverSection,
  database: databaseSection,
  cache: cacheSection,
  broker: brokerSection,
  auth: authSection,
  identity: identitySection,
  authorization: authorizationSection,
  settingsEncryption: settingsEncryptionSection,
  apps: appsSection,
  assets: assetsSection,
  upstream: upstreamSection,
  proxy: proxySection,
  hooks: hooksSection,
  mail: mailSection,
  notifications: notificationsSection,
  activity: activitySection,
  permissions: permissionsSection,
  retention: retentionSection,
  backup: backupSection,
  telemetry: telemetrySection,
  metrics: metricsSection,
  orchestrator: orchestratorSection,
  containers: containersSection,
  registry: registrySection,
  platform: platformSection,
  data: dataSection,
  up: upSection,
  dev: devSection,
} as const;

/** Variables of the environment that are not options. A name that ends with `_` is a prefix. */
export const otherVariables: readonly string[] = [
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
];
