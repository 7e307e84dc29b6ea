import type { Family } from "@appserver/driver";
import { pick } from "@appserver/options";
import {
  activitySection,
  appsSection,
  assetsSection,
  authSection,
  brandingSection,
  brokerSection,
  cacheSection,
  consoleSection,
  containersSection,
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
  permissionsSection,
  poolIssues,
  proxySection,
  queuePrefixIssues,
  retentionSection,
  serverSection,
  telemetrySection,
} from "@appserver/options/sections";
import type { DriverSchema } from "./drivers/driver-catalogue.ts";
import { containerSectionOfOneMachine, serverSectionOfOneMachine } from "./one-machine-sections.ts";

/**
 * The options that `appserver dev` reads. It listens on 127.0.0.1 and embeds its dependencies, so the addresses and
 * credentials of those are not among them.
 */
export const devSections = {
  server: {
    ...serverSection,
    options: { ...pick(serverSection, "httpPort").options, ...serverSectionOfOneMachine.options },
  },
  graphql: pick(graphqlSection, "maxBodyBytes"),
  console: consoleSection,
  branding: brandingSection,
  database: pick(databaseSection, "maxOpenConnections", "maxIdleConnections", "connectionLifetimeMs", "statementTimeoutMs"),
  cache: pick(cacheSection, "ttlMs", "maxSizeBytes"),
  broker: pick(brokerSection, "maxRetries", "prefetchCount", "serverQueuePrefix", "orchestratorQueuePrefix"),
  auth: pick(authSection, "sessionCookieName", "sessionCacheTtlMs"),
  identity: {
    ...identitySection,
    options: { ...identitySection.options, driver: { ...identitySection.options.driver, default: "dev" } },
  },
  apps: {
    ...appsSection,
    options: { ...appsSection.options, settleTimeMs: { ...appsSection.options.settleTimeMs, default: "500ms" } },
  },
  assets: pick(assetsSection, "unversionedCache"),
  proxy: proxySection,
  hooks: hooksSection,
  mail: mailSection,
  notifications: notificationsSection,
  activity: activitySection,
  permissions: permissionsSection,
  retention: retentionSection,
  telemetry: pick(telemetrySection, "logLevel"),
  metrics: metricsSection,
  containers: {
    ...containersSection,
    options: {
      driver: { ...containersSection.options.driver, default: "process" },
      ...containerSectionOfOneMachine.options,
      ...pick(containersSection, "isolation", "databaseSharedServer").options,
    },
  },
  data: { ...dataSection, options: { dir: { ...dataSection.options.dir, default: ".appserver" } } },
  dev: devSection,
} as const;

export const devSchema = {
  process: "dev",
  standsAlone: true,
  families: ["containers", "identity"],
  sections: devSections,
  rules: (found) => [...messageIssues(found), ...poolIssues(found.database), ...queuePrefixIssues(found.broker)],
} as const satisfies DriverSchema<typeof devSections, Family>;
