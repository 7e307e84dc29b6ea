import { containerError } from "./container-error.ts";
import { type InspectedContainer, nameOf } from "./container-view.ts";
import { replicaBody } from "./create-body.ts";
import type { EngineClient } from "./engine-client.ts";
import {
  beforeNextLook,
  inspectContainer,
  isPerhapsNameConflict,
  nameConflict,
  removeContainer,
  startContainer,
  stopContainer,
} from "./engine-containers.ts";
import { firstOf, replicaName, replicaNumber, replicaOfLabel } from "./replicas.ts";

/** What an instance that is no longer wanted has to end. */
const endMs = 10_000;
const maxAttempts = 20;

/**
 * The further instances of containers (docs/adr/0105-replicas-on-docker.md): one container each, with the id of the first one in a label.
 * How many exist is how many are wanted.
 */
export class ReplicaContainers {
  readonly #engine: EngineClient;
  readonly #hasInit: () => Promise<boolean>;

  constructor(engine: EngineClient, hasInit: () => Promise<boolean>) {
    this.#engine = engine;
    this.#hasInit = hasInit;
  }

  /** Returns the further instances of a container, by their numbers. */
  async of(first: Pick<InspectedContainer, "Id">): Promise<readonly InspectedContainer[]> {
    const filters = JSON.stringify({ label: [`${replicaOfLabel}=${first.Id}`] });
    const { body } = await this.#engine
      .request("GET", "/containers/json", { query: { all: "true", filters } })
      .catch((error: unknown) => {
        throw containerError("the list of containers", error);
      });
    return await this.inspectAll((body as { readonly Id: string }[]).map(({ Id }) => Id));
  }

  /** Returns those that still exist. */
  async inspectAll(ids: readonly string[]): Promise<readonly InspectedContainer[]> {
    const found = await Promise.all(ids.map((id) => inspectContainer(this.#engine, id)));
    return found
      .flatMap((container) => (container && container.State.Status !== "removing" ? container : []))
      .sort((left, right) => replicaNumber(left) - replicaNumber(right));
  }

  /** Removes the instances with numbers above `count`, then makes and starts what is missing. Every step may be interrupted and repeated. */
  async scale(first: InspectedContainer, count: number): Promise<void> {
    const existing = await this.of(first);
    for (const replica of existing.toReversed()) if (replicaNumber(replica) > count) await this.#end(replica);
    for (let number = 2; number <= count; number += 1) {
      const known = existing.find((replica) => replicaNumber(replica) === number);
      await startContainer(this.#engine, known ? nameOf(known) : await this.#create(first, number));
    }
  }

  /** Removes them, the last one first. */
  async remove(replicas: readonly Pick<InspectedContainer, "Id">[]): Promise<void> {
    for (const { Id } of replicas.toReversed()) await removeContainer(this.#engine, Id);
  }

  /** Gives them the names that belong to `newName`. Before their first one is renamed: an interrupted rename is repeated then. */
  async rename(first: InspectedContainer, newName: string): Promise<void> {
    for (const replica of await this.of(first)) {
      const name = replicaName(newName, replicaNumber(replica));
      if (nameOf(replica) === name) continue;
      const path = `/containers/${replica.Id}/rename`;
      await this.#withName(name, first, () => this.#engine.request("POST", path, { query: { name } }));
    }
  }

  async #end({ Id }: InspectedContainer): Promise<void> {
    await stopContainer(this.#engine, Id, endMs);
    await removeContainer(this.#engine, Id);
  }

  async #create(first: InspectedContainer, number: number): Promise<string> {
    const name = replicaName(nameOf(first), number);
    const body = replicaBody(first, number, await this.#hasInit());
    await this.#withName(name, first, () => this.#engine.request("POST", "/containers/create", { query: { name }, body }));
    return name;
  }

  /** Repeats what needs a name that another container may still have: also an instance whose first one was removed by hand. */
  async #withName(name: string, first: InspectedContainer, work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await work();
        return;
      } catch (error) {
        if (!isPerhapsNameConflict(error)) throw containerError(name, error);
        const holder = await inspectContainer(this.#engine, name);
        const labels = holder?.Config.Labels ?? {};
        const owner = firstOf(labels);
        // Another orchestrator was faster.
        if (owner === first.Id) return;
        const isFree = holder === undefined || (owner !== undefined && !(await inspectContainer(this.#engine, owner)));
        if (!isFree) throw nameConflict({ name, labels }, error);
        if (attempt === maxAttempts) throw containerError(name, error);
        if (holder) await removeContainer(this.#engine, holder.Id);
        else await beforeNextLook();
      }
    }
  }
}
