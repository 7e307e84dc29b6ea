import type { Person as PersonMessage } from "@appserver/contracts/proto/appserver/v2/access";
import { logLine } from "./log-line.ts";
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

/** What an app tells a person. */
export interface MessageToPerson {
  /** One line: 1 to 100 characters. */
  readonly title: string;
  /** At most 500 characters. */
  readonly text?: string | undefined;
  /** The route base of the app's page or a path below it, with query and fragment: at most 500 characters. Default: the route base. */
  readonly path?: string | undefined;
}

/** The people of the platform. All methods reject with PERMISSION_DENIED unless the app holds `people:read`, or for `notify` `people:notify`. */
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
  /**
   * Reads the names of a list, as {@link getEach}, and returns a function from an id to its name. People who do not exist any more have the
   * name `absent`, by default "A former member".
   */
  names(userIds: Iterable<string>, absent?: string): Promise<(userId: string) => string>;
  /**
   * Sends a message to a person who may open a page of the app: the console shows it below its bell. Returns the id of the message. Needs
   * `people:notify`. Rejects with NOT_FOUND for other people, and with RESOURCE_EXHAUSTED after 60 messages of the app in a minute, or 20
   * of them to the same person in an hour.
   */
  notify(userId: string, message: MessageToPerson): Promise<string>;
  /**
   * Sends a message about something that is done already: a refusal of {@link notify} is logged, and is no failure of the caller's request.
   * Returns whether the message was sent.
   */
  tryNotify(userId: string, message: MessageToPerson): Promise<boolean>;
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
  const notify: People["notify"] = async (userId, { title, text = "", path = "" }) =>
    (await access.notifyPerson({ userId, title, text, path })).messageId;
  return {
    find: async (text, limit = 0) => (await access.findPeople({ text, limit })).people.map(personOf),
    get: async (userId) => (await getEach([userId])).get(userId),
    getEach,
    names: async (userIds, absent = "A former member") => {
      const found = await getEach(userIds);
      return (userId) => found.get(userId)?.displayName ?? absent;
    },
    notify,
    tryNotify: async (userId, message) => {
      try {
        await notify(userId, message);
        return true;
      } catch (error) {
        logLine("warn", "notifying a person failed", { userId, reason: (error as Error).message });
        return false;
      }
    },
  };
}

function personOf({ userId, displayName, email, active }: PersonMessage): Person {
  return { userId, displayName, email: email === "" ? undefined : email, isActive: active };
}
