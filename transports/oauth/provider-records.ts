import type { AgentAccess } from "@appserver/access";
import { type Adapter, type AdapterPayload, errors, Provider } from "oidc-provider";

/** Programs that register themselves are strangers. */
const maxClientLength = 8_192;
const clientTtlSeconds = 86_400;

/** Keeps what the provider stores in the tables of the service. */
export class ProviderRecords implements Adapter {
  readonly #model: string;
  readonly #access: Pick<AgentAccess, "endConsent" | "records">;

  constructor(model: string, access: Pick<AgentAccess, "endConsent" | "records">) {
    this.#model = model;
    this.#access = access;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number | undefined): Promise<void> {
    if (this.#model === "Client") requireAcceptable(payload);
    // Programs have no secrets. The package makes one for a program that does not say how it authenticates.
    const { client_secret: _, client_secret_expires_at: __, ...stored } = payload;
    await this.#access.records.put(this.#model, id, stored, expiresIn ?? clientTtlSeconds);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return payloadOf(await this.#access.records.find(this.#model, id));
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return payloadOf(await this.#access.records.findByUid(this.#model, uid));
  }

  async findByUserCode(): Promise<undefined> {
    // There is no device flow.
  }

  /** The package has looked whether it was used before, but another request may have used it since. */
  async consume(id: string): Promise<void> {
    const { records, endConsent } = this.#access;
    const consumption = await records.consume(this.#model, id);
    if (consumption === "too many")
      throw new errors.TemporarilyUnavailable("tokens are renewed too often: wait, then try again");
    if (consumption !== "reused") return;
    const grantId = (await records.find(this.#model, id))?.payload["grantId"];
    if (typeof grantId === "string") await endConsent(grantId, "token used twice");
    throw new errors.InvalidGrant("it was used before");
  }

  async destroy(id: string): Promise<void> {
    // The package removes a grant when a program asks for it, and when a code or a refresh token is used twice.
    if (this.#model !== "Grant") await this.#access.records.take(this.#model, id);
    else await this.#access.endConsent(id, isRevocation() ? "revoked by the program" : "token used twice");
  }

  revokeByGrantId(grantId: string): Promise<void> {
    return this.#access.records.removeOfGrant(grantId);
  }
}

function isRevocation(): boolean {
  return Provider.ctx?.oidc.route === "revocation";
}

function payloadOf(found: Awaited<ReturnType<AgentAccess["records"]["find"]>>): AdapterPayload | undefined {
  return found && { ...found.payload, ...(found.isConsumed && { consumed: true }) };
}

function requireAcceptable(client: AdapterPayload): void {
  const text = JSON.stringify(client);
  if (text.length > maxClientLength)
    throw new errors.InvalidClientMetadata(`the metadata has more than ${maxClientLength} characters`);
  // PostgreSQL has no such text.
  if (text.includes("\\u0000")) throw new errors.InvalidClientMetadata("the metadata has a character U+0000");
  if (!areEncrypted(client.redirect_uris ?? []))
    throw new errors.InvalidClientMetadata(
      "redirect_uris with http may only lead to this machine: localhost, 127.0.0.1 or [::1]",
    );
}

/** Returns whether a code is sent in clear to the machine of the browser only. */
export function areEncrypted(redirectUris: readonly string[]): boolean {
  return redirectUris.every((uri) => {
    const url = URL.parse(uri);
    return (
      url !== null && url.username === "" && url.password === "" && (url.protocol !== "http:" || loopback.has(url.hostname))
    );
  });
}

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
