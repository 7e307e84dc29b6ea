import { useQuery } from "@tanstack/react-query";
import { peopleQuery } from "../../api/subjects.ts";
import type { Subject } from "./access-queries.ts";

/** Whether the id is of one person: `user:alice`, not `user:*`. */
export function hasPersonId(id: string): boolean {
  return id.startsWith("user:") && id !== "user:*";
}

/** Returns a subject with its name. The name of a person is null until it is read, or if there is no such person. */
export function useSubject(id: string): Subject {
  const { data } = useQuery({ ...peopleQuery(id.slice("user:".length)), enabled: hasPersonId(id) });
  return data?.find((each) => each.id === id) ?? { id, displayName: null };
}
