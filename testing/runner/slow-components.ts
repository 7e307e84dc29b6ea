/** Tests that start production backends: all of them. */
const withAllBackends = ["testing/integration/", "testing/contract/", "testing/faults/production"];

/**
 * Components that take from half a minute to several to install or build, by their names in `tools/services/prepare.ts`,
 * with the test files that start them. Those run after everything has been prepared.
 */
export const slowComponents: Readonly<Record<string, readonly string[]>> = {
  postgres: ["drivers/database/", ...withAllBackends],
  redis: ["drivers/cache/redis/", ...withAllBackends],
  rabbitmq: ["drivers/broker/rabbitmq/", ...withAllBackends],
  docker: ["drivers/containers/docker/", ...withAllBackends],
  registry: ["drivers/containers/docker/", ...withAllBackends],
  grpcurl: ["testing/integration/production-smoke/"],
  openfga: ["drivers/authorization/openfga/", "testing/conformance/contract-openfga", ...withAllBackends],
  kratos: ["drivers/identity/kratos/", "testing/conformance/contract-kratos", ...withAllBackends],
};

/** The components that some of the files need. */
export function componentsFor(files: readonly string[]): readonly string[] {
  return Object.entries(slowComponents)
    .filter(([, prefixes]) => files.some((file) => prefixes.some((prefix) => file.startsWith(prefix))))
    .map(([component]) => component);
}
