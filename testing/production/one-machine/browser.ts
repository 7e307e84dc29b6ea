import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";

interface Asked {
  /** The fields of a form. */
  readonly form?: Readonly<Record<string, string>>;
  readonly mode?: "cors" | "navigate";
}

/** A browser at a platform of this machine, whatever name the platform has, with the session of one person. */
export class Browser {
  readonly #origin: URL;
  readonly #ca: string | undefined;
  #cookie = "";

  constructor(origin: string, ca?: string) {
    this.#origin = new URL(origin);
    this.#ca = ca;
  }

  /** The session, as a token of `appctl`. */
  get token(): string {
    return this.#cookie.slice(this.#cookie.indexOf("=") + 1);
  }

  async ask(path: string, { form, mode = "cors" }: Asked = {}): Promise<{ readonly status: number; readonly text: string }> {
    const { protocol, hostname, port, host } = this.#origin;
    const request = protocol === "https:" ? requestHttps : requestHttp;
    const headers = {
      ...{ host, accept: "application/json", "sec-fetch-site": "same-origin", "sec-fetch-mode": mode, cookie: this.#cookie },
      ...(form && { "content-type": "application/x-www-form-urlencoded" }),
    };
    const address = { host: "127.0.0.1", port: port || (protocol === "https:" ? 443 : 80), servername: hostname, ca: this.#ca };
    const asked = request({ ...address, path, headers, agent: false, method: form ? "POST" : "GET" });
    asked.end(form && String(new URLSearchParams(form)));
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const [cookie] = response.headers["set-cookie"] ?? [];
    if (cookie !== undefined) this.#cookie = cookie.split(";")[0] ?? "";
    return { status: response.statusCode ?? 0, text: await text(response) };
  }

  /** Opens the link of the first administrator, and sends its form. */
  async becomeAdministrator(link: string): Promise<void> {
    const token = new URL(link).hash.replace("#token=", "");
    const form = { method: "password", token, email: "ada@example.com", name: "Ada", password: "a password that Ada chose" };
    const { status, text: body } = await this.ask("/self-service/registration?flow=link", { form });
    assert.equal(status, 200, body);
  }

  /** Allows `appctl login --device` to act for the person. */
  async allow(code: string): Promise<void> {
    const page = await this.ask(`/console/device?user_code=${code}`, { mode: "navigate" });
    const ticket = /name="ticket" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const form = { user_code: code, ticket, decision: "allow" };
    const { status, text: body } = await this.ask("/console/device", { form, mode: "navigate" });
    assert.equal(status, 200, body);
  }
}
