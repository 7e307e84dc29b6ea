import { createHmac, randomBytes } from "node:crypto";
import type { KratosAddresses } from "./kratos.ts";

export interface KratosAccount {
  /** The identity's id: the user id of the platform. */
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

interface Flow {
  readonly id: string;
  readonly ui: { readonly nodes: readonly { readonly attributes: FlowAttributes }[] };
}

interface FlowAttributes {
  readonly name?: string;
  readonly value?: string;
  readonly id?: string;
  readonly text?: { readonly text: string };
}

/** Accounts and sessions in a Kratos from `ensureKratos`, through the same API that browsers and apps use. */
export class KratosAccounts {
  readonly #addresses: KratosAddresses;

  constructor(addresses: KratosAddresses) {
    this.#addresses = addresses;
  }

  async create(name?: { readonly first: string; readonly last: string }): Promise<KratosAccount> {
    const email = `${randomBytes(8).toString("hex")}@example.test`;
    const password = randomBytes(12).toString("base64url");
    const body = {
      schema_id: "person",
      traits: { email, ...(name ? { name } : {}) },
      credentials: { password: { config: { password } } },
    };
    const { id } = (await answerOf(await send("POST", `${this.#addresses.adminUrl}/admin/identities`, body))) as { id: string };
    return { id, email, password };
  }

  /** Logs in as a native app does and returns the session token. */
  async logInForToken({ email, password }: KratosAccount): Promise<string> {
    const flow = await this.#flow("/self-service/login/api");
    const body = { method: "password", identifier: email, password };
    const answer = await answerOf(await send("POST", this.#url("/self-service/login", flow), body));
    return (answer as { session_token: string }).session_token;
  }

  /** Logs in as a browser does and returns the value of the session cookie. */
  async logInForCookie({ email, password }: KratosAccount, cookieName = "ory_kratos_session"): Promise<string> {
    const started = await send("GET", `${this.#addresses.publicUrl}/self-service/login/browser`);
    const cookie = started.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const flow = (await answerOf(started)) as Flow;
    const csrf = flow.ui.nodes.find(({ attributes }) => attributes.name === "csrf_token")?.attributes.value;
    const body = { method: "password", identifier: email, password, csrf_token: csrf };
    const answer = await send("POST", this.#url("/self-service/login", flow), body, { cookie });
    await answerOf(answer);
    const set = answer.headers.getSetCookie().find((line) => line.startsWith(`${cookieName}=`));
    if (!set) throw new Error(`logging in set no cookie ${cookieName}`);
    return set.slice(cookieName.length + 1).split(";")[0] ?? "";
  }

  /** Sets up a second factor. Existing sessions that used only a password are then insufficient. */
  async addSecondFactor(sessionToken: string): Promise<void> {
    const headers = { "x-session-token": sessionToken };
    const flow = await this.#flow("/self-service/settings/api", headers);
    const secret = flow.ui.nodes.find(({ attributes }) => attributes.id === "totp_secret_key")?.attributes.text?.text;
    if (!secret) throw new Error("the settings flow offers no TOTP secret");
    const body = { method: "totp", totp_code: oneTimePassword(secret) };
    await answerOf(await send("POST", this.#url("/self-service/settings", flow), body, headers));
  }

  /** Returns the text of the last mail to this address that waits to be sent. */
  async lastMail(address: string): Promise<string | undefined> {
    const url = `${this.#addresses.adminUrl}/admin/courier/messages?recipient=${encodeURIComponent(address)}`;
    const [last] = (await answerOf(await send("GET", url))) as { readonly body: string }[];
    return last?.body;
  }

  /** Ends every session of the account. */
  async endSessions({ id }: KratosAccount): Promise<void> {
    await answerOf(await send("DELETE", `${this.#addresses.adminUrl}/admin/identities/${id}/sessions`));
  }

  async #flow(path: string, headers: Record<string, string> = {}): Promise<Flow> {
    return (await answerOf(await send("GET", `${this.#addresses.publicUrl}${path}`, undefined, headers))) as Flow;
  }

  #url(path: string, flow: Flow): string {
    return `${this.#addresses.publicUrl}${path}?flow=${flow.id}`;
  }
}

function send(method: string, url: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method,
    headers: { accept: "application/json", ...(body ? { "content-type": "application/json" } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} responded with ${response.status}: ${text.slice(0, 500)}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** Returns the current one-time password for a base32 secret (RFC 6238 with its defaults). */
export function oneTimePassword(secret: string): string {
  const bits = [...secret]
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const digest = createHmac("sha1", key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
