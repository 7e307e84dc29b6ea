import { AppError } from "@appserver/kernel";
import type { PeopleQuery, Person } from "@appserver/kernel/ports";
import { request } from "undici";
import { parsePeople } from "./kratos-session.ts";

export interface KratosDirectoryOptions {
  /** `APPSERVER_KRATOS_ADMIN_URL`; a path before that of the API is kept. */
  readonly adminUrl: string;
  /** Default 5000. */
  readonly timeoutMs?: number;
}

/** Number of ids in one request: they are in its URL. */
const idsPerRequest = 100;

/** Finds users with Kratos' admin API. Sessions are checked without it. */
export class KratosDirectory {
  readonly #url: string;
  readonly #timeoutMs: number;

  constructor({ adminUrl, timeoutMs = 5_000 }: KratosDirectoryOptions) {
    this.#url = adminUrl.replace(/\/+$/, "");
    this.#timeoutMs = timeoutMs;
  }

  /** Throws SERVICE_UNAVAILABLE if Kratos does not respond as expected. A search matches ids and parts of sign-in addresses, and an empty one everyone. */
  async find(query: PeopleQuery): Promise<readonly Person[]> {
    if ("ids" in query) return await this.#withIds(query.ids.filter(isIdentityId));
    const { search, limit } = query;
    if (search === "") return await this.#identities({ page_size: String(limit) });
    if (isIdentityId(search)) return await this.#withIds([search]);
    const exact = await this.#identities({ credentials_identifier: search });
    const similar = await this.#identities({ preview_credentials_identifier_similar: search, page_size: String(limit) });
    const people = new Map([...exact, ...similar].map((person) => [person.userId, person]));
    return [...people.values()].slice(0, limit);
  }

  /**
   * Returns the id of the identity that signs in with `identifier`, an e-mail address or user name. Throws NOT_FOUND if there
   * is none, SERVICE_UNAVAILABLE if Kratos does not respond as expected.
   */
  async idOf(identifier: string): Promise<string> {
    const [first] = await this.#identities({ credentials_identifier: identifier });
    if (!first) throw new AppError("NOT_FOUND", `no identity signs in as ${JSON.stringify(identifier)}`);
    return first.userId;
  }

  async #withIds(ids: readonly string[]): Promise<readonly Person[]> {
    const people: Person[] = [];
    for (let start = 0; start < ids.length; start += idsPerRequest) {
      const query = ids.slice(start, start + idsPerRequest).map((id): [string, string] => ["ids", id]);
      people.push(...(await this.#identities([...query, ["page_size", String(idsPerRequest)]])));
    }
    return people;
  }

  async #identities(query: ConstructorParameters<typeof URLSearchParams>[0]): Promise<readonly Person[]> {
    try {
      const { statusCode, body } = await request(`${this.#url}/admin/identities?${new URLSearchParams(query)}`, {
        headers: { accept: "application/json" },
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      const people = parsePeople(await body.text());
      if (statusCode === 200 && people) return people;
    } catch (cause) {
      throw unavailable(this.#url, cause);
    }
    throw unavailable(this.#url);
  }
}

/** Kratos refuses a request with an id of another form. */
function isIdentityId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function unavailable(url: string, cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", `the admin API of Kratos at ${url} does not respond as expected`, {
    cause,
    dependency: "identity",
  });
}
