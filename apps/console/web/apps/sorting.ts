import type { AppRow } from "../api/queries.ts";

/** The platform lists apps by name. For any other order, all that match have to be loaded. */
export const maxSorted = 400;

export const columns = ["name", "state", "version", "available", "changed"] as const;
export type Column = (typeof columns)[number];

export interface Sorting {
  readonly by?: Column | undefined;
  readonly order?: "descending" | undefined;
}

const values: Readonly<Record<Column, (app: AppRow) => string>> = {
  name: ({ name }) => name,
  state: ({ state, enabled }) => `${state} ${enabled ? 0 : 1}`,
  version: ({ version }) => version,
  // Apps with a newer version come first.
  available: ({ availableVersion }) => (availableVersion ? `0 ${availableVersion}` : "1"),
  changed: ({ updatedAt }) => updatedAt,
};

const collator = new Intl.Collator("en", { numeric: true });

/** Returns the apps in the order that is asked for. Equal ones are ordered by name. */
export function sorted(apps: readonly AppRow[], { by = "name", order }: Sorting): readonly AppRow[] {
  const value = values[by];
  const sign = order === "descending" ? -1 : 1;
  return apps.toSorted((a, b) => sign * collator.compare(value(a), value(b)) || collator.compare(a.name, b.name));
}

/** Whether it is the order in which the platform lists apps. */
export function isOrderOfPlatform({ by = "name", order }: Sorting): boolean {
  return by === "name" && order === undefined;
}
