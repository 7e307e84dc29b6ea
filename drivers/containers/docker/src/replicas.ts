import { containerLabels } from "@appserver/kernel/ports";
import type { InspectedContainer } from "./container-view.ts";

/** The most instances of a container: those of two releases have room in the network of their app, with its gateways. */
export const maxReplicas = 8;

/** Label of the containers that are further instances of another one: the id of that one, which a rename does not change. */
export const replicaOfLabel = "appserver.replica-of";
/** Label with the number of such a container, from 2. */
export const replicaLabel = "appserver.replica";

/** Returns the name of the container of an instance. No app has it, because names of apps have no two hyphens in a row. */
export function replicaName(name: string, number: number): string {
  return `${name}--${number}`;
}

/** Returns the id of the container that this one is an instance of. Undefined for the first instance. */
export function firstOf(labels: Readonly<Record<string, string>> | null | undefined): string | undefined {
  return labels?.[replicaOfLabel];
}

export function replicaNumber({ Config }: Pick<InspectedContainer, "Config">): number {
  return Number(Config.Labels?.[replicaLabel] ?? 1);
}

/** The used fields of `GET /containers/json`. */
export interface ListedContainer {
  readonly Id: string;
  readonly Labels?: Readonly<Record<string, string>> | null;
}

/**
 * Returns the ids of the first instances, each with those of the others. `orphans`: the others of the installation whose first one does not
 * exist.
 */
export function groupsOf(
  listed: readonly ListedContainer[],
  instance: string | undefined,
): {
  readonly firsts: ReadonlyMap<string, readonly string[]>;
  readonly orphans: readonly ListedContainer[];
} {
  const firsts = new Map<string, string[]>();
  for (const { Id, Labels } of listed) if (firstOf(Labels) === undefined) firsts.set(Id, []);
  const orphans = listed.filter(({ Id, Labels }) => {
    const first = firstOf(Labels);
    if (first !== undefined) firsts.get(first)?.push(Id);
    return first !== undefined && !firsts.has(first) && Labels?.[containerLabels.instance] === instance;
  });
  return { firsts, orphans };
}

/** Returns the one that was started last. Times of an engine have one form. */
export function newestOf(members: readonly InspectedContainer[]): InspectedContainer | undefined {
  return members.toSorted((left, right) => (right.State.StartedAt ?? "").localeCompare(left.State.StartedAt ?? ""))[0];
}
