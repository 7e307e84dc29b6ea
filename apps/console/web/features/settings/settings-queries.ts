import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import * as operations from "../../generated/operations.ts";
import { type Definition, definitionsOf } from "./definition.ts";
import { isSameValue } from "./same-value.ts";

/** The settings of an app, without secrets, also if the user may read them. */
export interface AppSettings extends Omit<operations.SettingsFieldsFragment, "values" | "schema"> {
  readonly values: Readonly<Record<string, unknown>>;
  readonly definitions: readonly Definition[];
}

/** Removes the values of secrets, which the console never shows. */
export function withoutSecrets({ values, schema, ...rest }: operations.SettingsFieldsFragment): AppSettings {
  const definitions = definitionsOf(schema, rest.secretsSet);
  const shown = new Set(definitions.filter(({ isSecret }) => !isSecret).map(({ key }) => key));
  const entries = Object.entries(values as Readonly<Record<string, unknown>>);
  return { ...rest, values: Object.fromEntries(entries.filter(([key]) => shown.has(key))), definitions };
}

export function settingsQuery(appId: string) {
  return queryOptions({
    queryKey: ["settings", appId],
    queryFn: async () => {
      const { settings } = await send(operations.AppSettingsDocument, { appId });
      return settings ? withoutSecrets(settings) : null;
    },
    structuralSharing: (before, after) =>
      isSameSettings(before as AppSettings | undefined, after as AppSettings) ? before : after,
  });
}

/** Keeps the object while nothing has changed: a form begins from it. */
function isSameSettings(before: AppSettings | null | undefined, after: AppSettings | null): boolean {
  if (!before || !after) return before === after;
  return isSameValue(before, after);
}

/** Keys of one operation. It has five variables. */
const sourcesAtATime = 5;

/** Returns which of these settings are stored. The others have their default. */
export function sourcesQuery({ appId, version }: AppSettings, keys: readonly string[]) {
  return queryOptions({
    queryKey: ["settings", appId, "sources", version, keys],
    queryFn: async () => {
      const stored = new Set<string>();
      for (let first = 0; first < keys.length; first += sourcesAtATime) {
        const at = (index: number): string => keys[first + index] ?? keys[first] ?? "";
        const variables = { appId, k0: at(0), k1: at(1), k2: at(2), k3: at(3), k4: at(4) };
        for (const value of Object.values(await send(operations.SettingSourcesDocument, variables)))
          if (value?.source === "STORED") stored.add(value.key);
      }
      return stored as ReadonlySet<string>;
    },
    staleTime: Number.POSITIVE_INFINITY,
    enabled: keys.length > 0,
    structuralSharing: false,
  });
}
