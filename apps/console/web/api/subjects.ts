import { queryOptions } from "@tanstack/react-query";
import { PeopleDocument, SubjectsDocument } from "../generated/operations.ts";
import { send } from "./client.ts";

const keptMs = 300_000;
/** What one request of the API may ask for. */
const most = 100;

type Names = ReadonlyMap<string, string | null>;

let asked: { readonly ids: Set<string>; readonly names: Promise<Names> } | undefined;

/** The name of a subject, as `user:alice`. Null if it has none. What a page asks for at a time is one request. */
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
  const { subjects } = await send(SubjectsDocument, { ids: [...ids] });
  return new Map(subjects.map((subject) => [subject.id, subject.displayName ?? null]));
}
