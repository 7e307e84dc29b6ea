import { type Frontend, hasParameters } from "./frontend-queries.ts";

/** Returns the icon of an app: that of its first page which has one. */
export function firstIcon({ navigation }: Frontend): string | null | undefined {
  return navigation.find((entry) => entry.icon)?.icon;
}

/** Returns the first page that the viewer may see. */
export function startOf({ routeBase, navigation }: Frontend): string {
  const entries = navigation.flatMap((entry) => [entry, ...(entry.children ?? [])]);
  return entries.find(({ href }) => !hasParameters(href))?.href ?? routeBase;
}

/** Returns what the app is for, or else the pages that it has. */
export function lineOf({ name, navigation, displayName, description }: Frontend): string {
  if (description) return description;
  const titles = navigation
    .flatMap((entry) => [entry, ...(entry.children ?? [])])
    .filter(({ href, title }) => !hasParameters(href) && title !== displayName)
    .map(({ title }) => title);
  return titles.length > 0 ? titles.join(" · ") : name;
}
