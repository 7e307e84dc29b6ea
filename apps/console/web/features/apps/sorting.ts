import type { AppRow } from "../../api/queries.ts";
import type { AppOrder } from "../../generated/operations.ts";
import { locale } from "../../i18n.ts";

/** For an order that the platform does not have, all apps that match are loaded. */
export const maxSorted = 400;

export const columns = ["name", "state", "version", "available", "changed"] as const;
export type Column = (typeof columns)[number];

export interface Sorting {
  readonly by?: Column | undefined;
  readonly order?: "descending" | undefined;
}

/** The orders of the platform. */
const orders: Readonly<Partial<Record<Column, AppOrder>>> = { name: "NAME", state: "STATE", changed: "UPDATED" };

const values: Readonly<Record<"version" | "available", (app: AppRow) => string>> = {
  version: ({ version }) => version,
  // Apps with a newer version come first.
  available: ({ availableVersion }) => (availableVersion ? `0 ${availableVersion}` : "1"),
};

const collator = new Intl.Collator(locale, { numeric: true });

/** Returns the apps by version or by the version that is available. Equal ones are ordered by name. */
export function sorted(apps: readonly AppRow[], { by, order }: Sorting): readonly AppRow[] {
  if (by !== "version" && by !== "available") return apps;
  const value = values[by];
  const sign = order === "descending" ? -1 : 1;
  return apps.toSorted((a, b) => sign * collator.compare(value(a), value(b)) || collator.compare(a.name, b.name));
}

/** Whether the platform has the order, for any number of apps. */
export function isOrderOfPlatform({ by = "name" }: Sorting): boolean {
  return orders[by] !== undefined;
}

/** Returns how the platform lists the apps: in the order, or by name if it does not have the order. */
export function orderOf({ by = "name", order }: Sorting): { readonly order: AppOrder; readonly descending: boolean } {
  const found = orders[by];
  return { order: found ?? "NAME", descending: found !== undefined && order === "descending" };
}
