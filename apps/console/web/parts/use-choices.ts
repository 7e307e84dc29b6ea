import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { appsQuery } from "../api/queries.ts";
import { peopleQuery } from "../api/subjects.ts";
import { useViewer } from "../api/viewer.ts";
import { type Choice, withoutDoubles } from "./filter-choices.ts";
import { useNames } from "./use-names.ts";

const typingMs = 250;
const maxKnown = 100;

/** Returns the values of a list, also those of before the list was filtered. */
export function useSeen(values: readonly string[]): readonly string[] {
  const [known, setKnown] = useState<readonly string[]>([]);
  const all = [...new Set([...known, ...values])].slice(0, maxKnown);
  if (all.length > known.length) setKnown(all);
  return all;
}

/**
 * Returns the apps whose names or titles have the text, and the chosen one: without a text, that alone. A viewer who may not see apps gets
 * none.
 */
export function useAppChoices(text: string | undefined, chosen: string | undefined): readonly Choice[] {
  const { permissions } = useViewer();
  const [search] = useDebouncedValue(text?.trim(), typingMs);
  const mayRead = permissions.includes("app:view");
  const listed = { ...appsQuery({ search: search || undefined }, null), placeholderData: keepPreviousData };
  const { data } = useQuery({ ...listed, enabled: mayRead && text !== undefined });
  const { data: ofChosen } = useQuery({ ...appsQuery({ search: chosen }, null), enabled: mayRead && Boolean(chosen) });
  const own = (ofChosen?.edges ?? []).filter(({ node }) => node.name === chosen);
  return withoutDoubles([...own, ...(data?.edges ?? [])].map(({ node }) => ({ value: node.name, label: node.displayName })));
}

/** Returns the names of apps that contain the text. A viewer who may not see apps gets none. */
export function useAppNames(text: string): readonly string[] {
  return useAppChoices(text, undefined).map(({ value }) => value);
}

/**
 * Returns persons, apps and what else did something or was changed: those of the list that the filter is of, people whom the platform
 * finds, and apps. People are found for viewers who may see what people hold.
 */
export function useSubjectChoices(
  text: string | undefined,
  chosen: string | undefined,
  seen: readonly string[],
): readonly Choice[] {
  const { permissions } = useViewer();
  const known = useSeen(seen);
  const [search] = useDebouncedValue(text?.trim().replace(/^user:/, ""), typingMs);
  const { data: people = [] } = useQuery({
    ...peopleQuery(search ?? ""),
    enabled: permissions.includes("access:view") && text !== undefined,
    placeholderData: keepPreviousData,
  });
  const names = useNames([...(chosen ? [chosen] : []), ...known].filter((id) => !id.startsWith("app:")));
  const chosenApp = chosen?.startsWith("app:") ? chosen.slice("app:".length) : undefined;
  const apps = useAppChoices(text?.replace(/^app:/, ""), chosenApp).map(({ value, label }) => ({
    value: `app:${value}`,
    label,
  }));
  const titles = new Map(apps.map(({ value, label }) => [value, label]));
  const ofSeen = known.map((id) => ({ value: id, label: names.get(id) ?? titles.get(id) ?? id }));
  return withoutDoubles([
    ...(chosen && names.has(chosen) ? [{ value: chosen, label: names.get(chosen) ?? chosen }] : []),
    ...ofSeen.sort((a, b) => a.label.localeCompare(b.label)),
    ...people.map(({ id, displayName }) => ({ value: id, label: displayName ?? id, isFound: true })),
    ...apps,
  ]);
}
