import { join } from "node:path";

/** The PostgreSQL servers of a platform: that of its own tables, and that of the databases of apps. */
export type ServerName = "platform" | "apps";

const folders: Readonly<Record<ServerName, string>> = { platform: "postgres", apps: "postgres-apps" };

/** Returns the folder of an embedded server. */
export function serverFolder(dataDir: string, name: ServerName): string {
  return join(dataDir, folders[name]);
}
