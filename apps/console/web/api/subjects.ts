import { queryOptions } from "@tanstack/react-query";
import { AppNamesDocument, PeopleDocument, SubjectsDocument } from "../generated/operations.ts";
import { send } from "./client.ts";

const keptMs = 300_000;
/** What one request of the API may ask for. */
const most = 100;

type Names = ReadonlyMap<string, string | null>;

let asked: { readonly ids: Set<string>; readonly names: Promise<Names> } | undefined;

/** The name of a subject, as `user:alice` or `app:<name>`. Null if it has none. What a page asks for at a time is one request. */
export function nameQuery(id: string) {
  return queryOptions({
    queryKey: ["subject", id],
    queryFn: async () => (await namesWith(id)).get(id) ?? null,
    staleTime: keptMs,
    retry: false,
  });
}

export const maxPeople = 50;

/** At most 50. The API has no further pages: a longer text finds less. */
export function peopleQuery(search: string) {
  return queryOptions({
    queryKey: ["access", "people", search],
    queryFn: async () => (await send(PeopleDocument, { search, first: maxPeople })).people,
    // It is unavailable for good if the identity provider has no list of people.
    retry: false,
  });
}

function namesWith(id: string): Promise<Names> {
  if (asked === undefined || asked.ids.size >= most) {
    const ids = new Set<string>();
    asked = { ids, names: read(ids) };
  }
  asked.ids.add(id);
  return asked.names;
}

async function read(ids: ReadonlySet<string>): Promise<Names> {
  // Until all parts of the page have asked.
  await Promise.resolve();
  await Promise.resolve();
  if (asked?.ids === ids) asked = undefined;
  const apps = [...ids].filter((id) => id.startsWith(appPrefix));
  const others = [...ids].filter((id) => !id.startsWith(appPrefix));
  const names = await Promise.all([namesOfApps(apps), namesOfOthers(others)]);
  return new Map(names.flat());
}

type Named = readonly (readonly [id: string, name: string | null])[];

const appPrefix = "app:";

async function namesOfApps(ids: readonly string[]): Promise<Named> {
  if (ids.length === 0) return [];
  const names = ids.map((id) => id.slice(appPrefix.length));
  const { apps } = await send(AppNamesDocument, { names, first: names.length });
  return apps.edges.map(({ node: { name, displayName } }) => [appPrefix + name, displayName]);
}

async function namesOfOthers(ids: readonly string[]): Promise<Named> {
  if (ids.length === 0) return [];
  const { subjects } = await send(SubjectsDocument, { ids });
  return subjects.map(({ id, displayName }) => [id, displayName ?? null]);
}
