import { permissionOf } from "@appserver/contracts/authorization";
import { queryClient } from "../../api/query-client.ts";
import { nameQuery } from "../../api/subjects.ts";
import { useNames } from "../../parts/use-names.ts";
import type { Tuple } from "./access-queries.ts";
import type { Names } from "./tuple-text.ts";

/** Returns the names of the apps in what tuples give. */
export function useAppNamesOf(tuples: readonly Pick<Tuple, "object">[]): Names {
  return useNames(tuples.flatMap(appOf));
}

/** Returns the names of who gets something and of the app of it, as far as they can be read. */
export async function namesIn(tuple: Tuple): Promise<Names> {
  const ids = [tuple.user, ...appOf(tuple)];
  const names = await Promise.all(ids.map((id) => queryClient.fetchQuery(nameQuery(id)).catch(() => null)));
  return new Map(ids.flatMap((id, index) => (names[index] ? [[id, names[index]] as const] : [])));
}

function appOf({ object }: Pick<Tuple, "object">): readonly string[] {
  if (object.startsWith("app:")) return [object];
  const appName = permissionOf(object)?.appName;
  return appName === undefined ? [] : [`app:${appName}`];
}
