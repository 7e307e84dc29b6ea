/** Tests that start production backends: all of them. */
const withAllBackends = ["testing/integration/", "testing/faults/production", "testing/faults/full-disk-production"];

/**
 * Components that take from half a minute to several to install or build, by their names in `tools/services/prepare.ts`,
 * with the test files that start them. Those run after everything has been prepared.
 */
export const slowComponents: Readonly<Record<string, readonly string[]>> = {
  postgres: ["drivers/database/", ...withAllBackends],
  redis: ["drivers/cache/redis/", ...withAllBackends],
  rabbitmq: ["drivers/broker/rabbitmq/", ...withAllBackends],
  docker: ["drivers/containers/docker/", "testing/contract/docker", ...withAllBackends],
  registry: ["drivers/containers/docker/", ...withAllBackends],
  chromium: ["testing/e2e/"],
  grpcurl: ["testing/integration/production-smoke/"],
  openfga: ["drivers/authorization/openfga/", "testing/conformance/contract-openfga", ...withAllBackends],
  kratos: ["drivers/identity/kratos/", "testing/conformance/contract-kratos", ...withAllBackends],
};

/** Where a test file comes from, and whether it is run on the shared production platform. */
interface TestFile {
  readonly file: string;
  readonly variant?: "production";
}

/** The components that some of the files need; the production platform needs what the tests of all backends need. */
export function componentsFor(files: readonly TestFile[]): readonly string[] {
  const paths = files.map(({ file, variant }) => (variant === "production" ? "testing/faults/production" : file));
  return Object.entries(slowComponents)
    .filter(([, prefixes]) => paths.some((path) => prefixes.some((prefix) => path.startsWith(prefix))))
    .map(([component]) => component);
}
