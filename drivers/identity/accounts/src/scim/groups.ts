import { uuidv7 } from "@appserver/kernel";
import type { Transaction } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { groupType } from "./attribute.ts";
import { isId } from "./conditions.ts";
import { type GroupChange, groupChangesOf, memberIdsOf } from "./group-changes.ts";
import type { GroupSynchronisation } from "./group-synchronisation.ts";
import { type GroupProfile, groupTable, type StoredGroup, type StoredMember } from "./group-table.ts";
import type { Found, Page } from "./page.ts";
import { operationsOf } from "./patch-operations.ts";
import { type Resources, requireMatch } from "./resources.ts";
import { invalid, notFound } from "./scim-error.ts";
import { refuseTaken } from "./taken.ts";
import { type JsonObject, resourceOf, type Values } from "./values.ts";

export interface GroupsDeps {
  readonly database: AccountsDatabase;
  readonly synchronisation: Pick<GroupSynchronisation, "mark">;
}

export const maxMembers = 10_000;

/** The groups that SCIM made. People whose groups change are marked, so that these are written as permissions. */
export class Groups implements Resources<StoredGroup> {
  readonly type = groupType;
  readonly #deps: GroupsDeps;

  constructor(deps: GroupsDeps) {
    this.#deps = deps;
  }

  async find(id: string): Promise<StoredGroup> {
    return found(id, isId(id) ? await groupTable.find(this.#deps.database, id) : undefined);
  }

  async list(page: Page): Promise<Found<StoredGroup>> {
    return await groupTable.list(this.#deps.database, page);
  }

  async membersOf(ids: readonly string[]): Promise<readonly StoredMember[]> {
    return await groupTable.membersOf(this.#deps.database, ids);
  }

  async create(body: JsonObject): Promise<StoredGroup> {
    const values = resourceOf(groupType, body);
    const profile = profileOf(values);
    const ids = memberIdsOf(values.get("members"));
    const id = uuidv7();
    return await refuseTaken(() =>
      this.#deps.database.transaction(async (tx) => {
        await groupTable.insert(tx, id, profile);
        await this.#changeMembers(tx, id, { kind: "add", ids });
        return found(id, await groupTable.find(tx, id));
      }),
    );
  }

  /** A client that does not name members changes none. An empty list removes all. */
  async replace(id: string, body: JsonObject, ifMatch: string | undefined): Promise<StoredGroup> {
    const values = resourceOf(groupType, body);
    const { displayName, externalId } = profileOf(values);
    const hasMembers = Object.keys(body).some((key) => key.toLowerCase() === "members");
    return await this.#change(id, ifMatch, [
      { kind: "set", attribute: "displayName", value: displayName },
      { kind: "set", attribute: "externalId", value: externalId },
      ...(hasMembers ? [{ kind: "replace", ids: memberIdsOf(values.get("members")) } as const] : []),
    ]);
  }

  async patch(id: string, body: JsonObject, ifMatch: string | undefined): Promise<StoredGroup> {
    return await this.#change(id, ifMatch, groupChangesOf(operationsOf(groupType, id, body)));
  }

  async delete(id: string, ifMatch: string | undefined): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      requireMatch(ifMatch, await this.#hold(tx, id));
      await this.#deps.synchronisation.mark(tx, await groupTable.removeMembers(tx, id, { allBut: [] }));
      await groupTable.delete(tx, id);
    });
  }

  async #change(id: string, ifMatch: string | undefined, changes: readonly GroupChange[]): Promise<StoredGroup> {
    return await refuseTaken(() =>
      this.#deps.database.transaction(async (tx) => {
        const before = await this.#hold(tx, id);
        requireMatch(ifMatch, before);
        let profile: GroupProfile = before;
        let hasChanged = false;
        for (const change of changes) {
          if (change.kind === "set") profile = { ...profile, [change.attribute]: change.value };
          else hasChanged = (await this.#changeMembers(tx, id, change)) || hasChanged;
        }
        const isRenamed = profile.displayName !== before.displayName;
        if (isRenamed) {
          const members = await groupTable.membersOf(tx, [id]);
          await this.#deps.synchronisation.mark(
            tx,
            members.map((member) => member.id),
          );
        }
        if (!(hasChanged || isRenamed || profile.externalId !== before.externalId)) return before;
        await groupTable.update(tx, id, profile);
        return found(id, await groupTable.find(tx, id));
      }),
    );
  }

  /** Returns whether anything has changed. */
  async #changeMembers(tx: Transaction, id: string, { kind, ids }: Exclude<GroupChange, { kind: "set" }>): Promise<boolean> {
    if (kind === "add" || kind === "replace") await requireKnown(tx, ids);
    const removed =
      kind === "add"
        ? []
        : await groupTable.removeMembers(tx, id, kind === "remove" ? { these: ids.filter(isId) } : { allBut: ids });
    const added = kind === "remove" ? [] : await groupTable.addMembers(tx, id, ids);
    const changed = [...removed, ...added];
    if (changed.length === 0) return false;
    if (added.length > 0 && ((await groupTable.find(tx, id))?.size ?? 0) > maxMembers)
      throw invalid("invalidValue", `a group must have at most ${maxMembers} members`);
    await this.#deps.synchronisation.mark(tx, changed);
    return true;
  }

  async #hold(tx: Transaction, id: string): Promise<StoredGroup> {
    return found(id, isId(id) ? await groupTable.hold(tx, id) : undefined);
  }
}

/** Groups in groups are not supported, and people of whom SCIM made no account are not known to it. */
async function requireKnown(tx: Transaction, ids: readonly string[]): Promise<void> {
  const known = await groupTable.knownOf(tx, ids.filter(isId));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw invalid("invalidValue", `members: ${JSON.stringify(unknown)} is not the id of a User`);
}

function profileOf(values: Values): GroupProfile {
  const [displayName, externalId] = [values.get("displayName"), values.get("externalId")];
  if (typeof displayName !== "string") throw invalid("invalidValue", "displayName must be given");
  return { displayName, externalId: typeof externalId === "string" ? externalId : undefined };
}

function found(id: string, group: StoredGroup | undefined): StoredGroup {
  if (!group) throw notFound(`Group ${id.slice(0, 100)}`);
  return group;
}
