import type { Person as PersonMessage } from "@appserver/contracts/proto/appserver/v2/access";
import type { PlatformClient } from "./platform-client.ts";

/** A person, as the identity provider knows them. */
export interface Person {
  /** As in {@link AppCaller.userId}. */
  readonly userId: string;
  readonly displayName: string;
  /** Undefined if the identity provider has none. It may not be proven. */
  readonly email: string | undefined;
  /** False if the person cannot sign in. */
  readonly isActive: boolean;
}

/** The people of the platform, for apps that hold the permission `people:read`. All methods reject with PERMISSION_DENIED for others. */
export interface People {
  /**
   * Returns people who can sign in and whose name, address or id contains `text`, by their names. `text` has 2 to 256 characters. `limit` is
   * 1 to 20, default 20.
   */
  find(text: string, limit?: number): Promise<readonly Person[]>;
  /** Returns a person, also one who cannot sign in. Undefined if there is none with this id. */
  get(userId: string): Promise<Person | undefined>;
  /** Returns people by their ids, without those that do not exist: the names of a list by one call for each 100. */
  getEach(userIds: Iterable<string>): Promise<ReadonlyMap<string, Person>>;
}

/** Number of ids in one call (docs/interface/grpc.md#access). */
const idsPerCall = 100;

export function createPeople({ access }: Pick<PlatformClient, "access">): People {
  const getEach = async (userIds: Iterable<string>): Promise<ReadonlyMap<string, Person>> => {
    const ids = [...new Set(userIds)];
    const found = new Map<string, Person>();
    for (let from = 0; from < ids.length; from += idsPerCall) {
      const { people } = await access.getPeople({ userIds: ids.slice(from, from + idsPerCall) });
      for (const each of people) found.set(each.userId, personOf(each));
    }
    return found;
  };
  return {
    find: async (text, limit = 0) => (await access.findPeople({ text, limit })).people.map(personOf),
    get: async (userId) => (await getEach([userId])).get(userId),
    getEach,
  };
}

function personOf({ userId, displayName, email, active }: PersonMessage): Person {
  return { userId, displayName, email: email === "" ? undefined : email, isActive: active };
}
