/** What the checks are about (docs/interface/operations.md#readiness). */
const titles: Readonly<Record<string, string>> = {
  database: "Database",
  authorization: "Authorization",
  broker: "Message broker",
  cache: "Cache",
  identity: "Identity provider",
  app_databases: "Databases of apps",
  data_folder: "Data folder",
  start: "Start of the server",
  workers: "Worker processes",
};

/** Returns the title of a check of the readiness. */
export function checkTitle(name: string): string {
  return titles[name] ?? name;
}
