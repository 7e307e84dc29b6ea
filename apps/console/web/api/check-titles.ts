import { i18n } from "../i18n.ts";

/** What the checks are about (docs/interface/operations.md#readiness). */
const titles: Readonly<Record<string, string>> = {
  database: i18n.t("Database"),
  authorization: i18n.t("Authorization"),
  broker: i18n.t("Message broker"),
  cache: i18n.t("Cache"),
  identity: i18n.t("Identity provider"),
  app_databases: i18n.t("Databases of apps"),
  data_folder: i18n.t("Data folder"),
  start: i18n.t("Start of the server"),
  workers: i18n.t("Worker processes"),
};

/** Returns the title of a check of the readiness. */
export function checkTitle(name: string): string {
  return titles[name] ?? name;
}
