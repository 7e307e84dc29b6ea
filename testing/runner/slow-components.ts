/** Tests that start all production backends. */
const withAllBackends = [
  "testing/contract/",
  "testing/production/replicas/",
  "testing/production/docker/sleep",
  "testing/production/guides/",
  "testing/production/smoke/",
  "testing/production/self-service/",
  "testing/production/security/production",
  "testing/production/e2e/console/",
  "testing/faults/production",
  "testing/faults/full-disk-production",
  "testing/faults/switches/replicas",
];

/**
 * Components that take seconds to several minutes to install or build, by their names in `tools/services/prepare.ts`,
 * with the tests of the tiers `production`, `faults` and `kubernetes` that start them.
 */
export const slowComponents: Readonly<Record<string, readonly string[]>> = {
  postgres: ["drivers/database/", "testing/production/backup/", "testing/kubernetes/", ...withAllBackends],
  redis: ["drivers/cache/redis/", ...withAllBackends],
  rabbitmq: ["drivers/broker/rabbitmq/", ...withAllBackends],
  docker: [
    "drivers/containers/docker/",
    "testing/production/docker/",
    "testing/production/security/app",
    "testing/production/security/one-machine-isolation",
    "testing/faults/containers/",
    ...withAllBackends,
  ],
  registry: ["drivers/containers/docker/", "testing/faults/containers/", ...withAllBackends],
  python: [
    "examples/board/",
    "sdk/python/",
    "testing/production/docker/",
    "testing/production/python/",
    "testing/production/security/one-machine-isolation",
    ...withAllBackends,
  ],
  php: ["testing/production/languages/php"],
  kubernetes: [
    "drivers/containers/kubernetes/",
    "services/orchestration/test/orchestration.kubernetes",
    "services/orchestration/test/replicas.kubernetes",
    "testing/kubernetes/",
  ],
  versitygw: ["apps/server/src/backup/"],
  schemathesis: ["testing/production/rest/"],
  chromium: ["testing/kubernetes/kubernetes-guide", "testing/production/e2e/"],
  openfga: ["drivers/authorization/openfga/", "testing/conformance/openfga-api-document", ...withAllBackends],
  kratos: ["drivers/identity/kratos/", "testing/conformance/kratos-api-document", ...withAllBackends],
};

/** Returns the components that these test files start. */
export function componentsFor(files: readonly string[]): readonly string[] {
  return Object.entries(slowComponents)
    .filter(([, prefixes]) => files.some((file) => prefixes.some((prefix) => file.startsWith(prefix))))
    .map(([component]) => component);
}
