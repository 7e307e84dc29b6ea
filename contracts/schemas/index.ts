import { readFileSync } from "node:fs";

/** The files that have a JSON schema: `app.yaml` and `platform.yaml`. */
export const schemaNames = ["app", "platform"] as const;

export type SchemaName = (typeof schemaNames)[number];

/** Returns the JSON schema of a file as text (draft 2020-12). */
export function readJsonSchema(name: SchemaName): string {
  return readFileSync(new URL(`../generated/schemas/${name}.json`, import.meta.url), "utf8");
}

/** The first line of a file, by which editors find its schema on a platform. */
export function schemaLine(httpUrl: string, name: SchemaName): string {
  return `# yaml-language-server: $schema=${httpUrl.replace(/\/$/, "")}/schemas/${name}.json`;
}
