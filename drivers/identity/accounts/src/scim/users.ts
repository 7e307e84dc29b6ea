import { isDeepStrictEqual } from "node:util";
import { uuidv7 } from "@appserver/kernel";
import type { Transaction } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { userType } from "./attribute.ts";
import { isId } from "./conditions.ts";
import type { GroupSynchronisation } from "./group-synchronisation.ts";
import type { Found, Page } from "./page.ts";
import { operationsOf } from "./patch-operations.ts";
import { patched } from "./patch-values.ts";
import { type Resources, requireMatch } from "./resources.ts";
import { notFound, ScimError } from "./scim-error.ts";
import { refuseTaken } from "./taken.ts";
import { accountNameOf, addressOf, profileOf, type UserProfile, valuesOf, withFormattedName } from "./user-profile.ts";
import { type StoredUser, userTable } from "./user-table.ts";
import { type JsonObject, resourceOf } from "./values.ts";

export interface UsersDeps {
  readonly database: AccountsDatabase;
  readonly groups: Pick<GroupSynchronisation, "leaveAll" | "isLastAdministrator">;
}

/** The accounts that SCIM made. It sees and changes no others. */
export class Users implements Resources<StoredUser> {
  readonly type = userType;
  readonly #deps: UsersDeps;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  async find(id: string): Promise<StoredUser> {
    return found(id, isId(id) ? await userTable.find(this.#deps.database, id) : undefined);
  }

  async list(page: Page): Promise<Found<StoredUser>> {
    return await userTable.list(this.#deps.database, page);
  }

  async create(body: JsonObject): Promise<StoredUser> {
    const profile = profileOf(resourceOf(userType, body));
    const id = uuidv7();
    return await refuseTaken(() =>
      this.#deps.database.transaction(async (tx) => {
        await userTable.insert(tx, id, profile);
        return found(id, await userTable.find(tx, id));
      }),
    );
  }

  /** A client that does not say whether the person is active changes nothing of that. */
  async replace(id: string, body: JsonObject, ifMatch: string | undefined): Promise<StoredUser> {
    const profile = profileOf(resourceOf(userType, body));
    return await this.#change(id, ifMatch, (before) => ({ ...profile, active: profile.active ?? before.active }));
  }

  async patch(id: string, body: JsonObject, ifMatch: string | undefined): Promise<StoredUser> {
    const operations = operationsOf(userType, id, body);
    return await this.#change(id, ifMatch, (before) => {
      const after = profileOf(patched(valuesOf(before), operations));
      return withFormattedName(before, { ...after, active: after.active ?? before.active });
    });
  }

  /** The person is out before the groups are taken away: if that fails, a repeated request does the rest. */
  async delete(id: string, ifMatch: string | undefined): Promise<void> {
    const { database, groups } = this.#deps;
    await database.transaction(async (tx) => {
      requireMatch(ifMatch, await this.#hold(tx, id));
      await this.#disable(tx, id);
    });
    await groups.leaveAll(id);
    await database.transaction(async (tx) => {
      // Another server may have enabled it again.
      await this.#disable(tx, id);
      await userTable.delete(tx, id);
    });
  }

  async #change(id: string, ifMatch: string | undefined, next: (before: UserProfile) => UserProfile): Promise<StoredUser> {
    return await refuseTaken(() =>
      this.#deps.database.transaction(async (tx) => {
        const stored = await this.#hold(tx, id);
        requireMatch(ifMatch, stored);
        const [before, after] = [stored.profile, next(stored.profile)];
        if (isDeepStrictEqual(before, after)) return stored;
        if (after.active === false) await this.#disable(tx, id, "mutability");
        else if (!stored.isActive) await userTable.setActive(tx, id, true);
        if (accountNameOf(before) !== accountNameOf(after)) await userTable.updateName(tx, id, accountNameOf(after));
        if (addressOf(before) !== addressOf(after)) await userTable.updateAddress(tx, id, addressOf(after));
        await userTable.update(tx, id, after);
        return found(id, await userTable.find(tx, id));
      }),
    );
  }

  async #hold(tx: Transaction, id: string): Promise<StoredUser> {
    return found(id, isId(id) ? await userTable.hold(tx, id) : undefined);
  }

  /** Of two requests at the same time that would together remove all administrators, one waits for the other and is refused. */
  async #disable(tx: Transaction, id: string, scimType?: "mutability"): Promise<void> {
    const stored = await userTable.hold(tx, id);
    if (!stored?.isActive) return;
    if (await this.#deps.groups.isLastAdministrator(tx, id)) throw lastAdministrator(scimType);
    await userTable.setActive(tx, id, false);
  }
}

function found(id: string, user: StoredUser | undefined): StoredUser {
  if (!user) throw notFound(`User ${id.slice(0, 100)}`);
  return user;
}

function lastAdministrator(scimType: "mutability" | undefined): ScimError {
  const detail = "this is the last administrator who can sign in: make another person administrator first";
  return new ScimError(409, detail, scimType);
}
