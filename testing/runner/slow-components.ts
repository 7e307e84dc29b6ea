/** Tests that start all production backends. */
const withAllBackends = [
  "testing/integration/",
  "testing/faults/production",
  "testing/faults/full-disk-production",
  "testing/faults/switches/containers",
  "testing/faults/switches/replicas",
  "testing/security/production",
  "testing/e2e/console/kratos",
];

/**
 * Components that take half a minute to several minutes to install or build, by their names in `tools/services/prepare.ts`,
 * with the test files that start them. These files run when all components are prepared.
 */
export const slowComponents: Readonly<Record<string, readonly string[]>> = {
  postgres: ["drivers/database/", ...withAllBackends],
  redis: ["drivers/cache/redis/", ...withAllBackends],
  rabbitmq: ["drivers/broker/rabbitmq/", ...withAllBackends],
  docker: ["drivers/containers/docker/", "testing/contract/docker", "testing/security/app", ...withAllBackends],
  registry: ["drivers/containers/docker/", ...withAllBackends],
  python: ["examples/board/", "testing/e2e/console/board"],
  chromium: ["testing/e2e/"],
  grpcurl: ["testing/integration/production-smoke/"],
  openfga: ["drivers/authorization/openfga/", "testing/conformance/openfga-api-document", ...withAllBackends],
  kratos: ["drivers/identity/kratos/", "testing/conformance/kratos-api-document", ...withAllBackends],
};

/** The path of a test file, and whether it runs on the shared production platform. */
interface TestFile {
  readonly file: string;
  readonly variant?: "production";
}

/** Returns the components that the files need. The production platform needs the components of all backends. */
export function componentsFor(files: readonly TestFile[]): readonly string[] {
  const paths = files.map(({ file, variant }) => (variant === "production" ? "testing/faults/production" : file));
  return Object.entries(slowComponents)
    .filter(([, prefixes]) => paths.some((path) => prefixes.some((prefix) => path.startsWith(prefix))))
    .map(([component]) => component);
}
