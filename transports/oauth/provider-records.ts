import type { AgentAccess } from "@appserver/access";
import { type Adapter, type AdapterPayload, errors } from "oidc-provider";

/** Programs that register themselves are strangers. */
const maxClientLength = 8_192;
const clientTtlSeconds = 86_400;

/** Keeps what the provider stores in the tables of the service. */
export class ProviderRecords implements Adapter {
  readonly #model: string;
  readonly #records: AgentAccess["records"];

  constructor(model: string, records: AgentAccess["records"]) {
    this.#model = model;
    this.#records = records;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number | undefined): Promise<void> {
    if (this.#model === "Client") requireAcceptable(payload);
    await this.#records.put(this.#model, id, { ...payload }, expiresIn ?? clientTtlSeconds);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return payloadOf(await this.#records.find(this.#model, id));
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return payloadOf(await this.#records.findByUid(this.#model, uid));
  }

  async findByUserCode(): Promise<undefined> {
    // There is no device flow.
  }

  consume(id: string): Promise<void> {
    return this.#records.consume(this.#model, id);
  }

  async destroy(id: string): Promise<void> {
    await this.#records.take(this.#model, id);
  }

  revokeByGrantId(grantId: string): Promise<void> {
    return this.#records.removeOfGrant(grantId);
  }
}

function payloadOf(found: Awaited<ReturnType<AgentAccess["records"]["find"]>>): AdapterPayload | undefined {
  return found && { ...found.payload, ...(found.isConsumed && { consumed: true }) };
}

function requireAcceptable(client: AdapterPayload): void {
  if (JSON.stringify(client).length > maxClientLength)
    throw new errors.InvalidClientMetadata(`the metadata has more than ${maxClientLength} characters`);
  if (!areEncrypted(client.redirect_uris ?? []))
    throw new errors.InvalidRedirectUri("redirect_uris with http may only lead to this machine: localhost, 127.0.0.1 or [::1]");
}

/** Returns whether a code is sent in clear to the machine of the browser only. */
export function areEncrypted(redirectUris: readonly string[]): boolean {
  return redirectUris.every((uri) => !uri.startsWith("http:") || loopback.test(uri));
}

const loopback = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/;
