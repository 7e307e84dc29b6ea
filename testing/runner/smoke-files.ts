/** What continuous integration runs of the tier `production`: one page of the interface each, one page in a browser, and `appserver up`. */
export const smokeFiles: readonly string[] = [
  ...["activities", "errors", "graphql", "grpc", "hooks", "logs", "proxy", "settings", "signatures"].map(
    (page) => `testing/contract/${page}.test.ts`,
  ),
  "testing/contract/upgrades.production.test.ts",
  "testing/production/e2e/notes-page.test.ts",
  "testing/production/smoke/one-machine.test.ts",
];

/** What it also runs where the programs of a cluster are built: they take 20 minutes. */
export const clusterSmokeFile = "services/orchestration/test/replicas.kubernetes.test.ts";
