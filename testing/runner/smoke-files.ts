/** What continuous integration runs of the tier `production`: one page of the interface each, and one page in a browser. */
export const smokeFiles: readonly string[] = [
  ...["activities", "errors", "graphql", "grpc", "hooks", "logs", "proxy", "settings", "signatures", "upgrades"].map(
    (page) => `testing/contract/${page}.test.ts`,
  ),
  "testing/production/e2e/notes-page.test.ts",
];
