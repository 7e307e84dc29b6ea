/** What continuous integration runs of the tier `production`: one page of the interface each, and one page in a browser. */
export const smokeFiles: readonly string[] = [
  ...["activities", "errors", "graphql", "grpc", "hooks", "logs", "proxy", "settings", "signatures"].map(
    (page) => `testing/contract/${page}.test.ts`,
  ),
  "testing/contract/upgrades.production.test.ts",
  "testing/production/e2e/notes-page.test.ts",
];
