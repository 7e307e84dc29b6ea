import type { IncomingMessage } from "node:http";
import { HttpError } from "../http-error.ts";
import type { PlatformClient } from "../platform-client.ts";
import type { AppHandler } from "../serve-app.ts";
import { DropHook, type HookHandler } from "./hook.ts";
import { PushSignatureError, verifyPush } from "./verify-push.ts";

/** Enough for 256 KiB of data and the surrounding fields. */
const maxBodyBytes = 300 * 1024;
/** Minimum time between two requests for the secret, so that forged calls do not cause calls to the platform. */
const secretAgeMs = 60_000;

/**
 * Returns a route handler for hooks that the platform posts: `"POST /hooks": pushedHooks(platform, handler)`. It fetches the
 * secret from the platform and checks the signature. If `handler` rejects, the response is 500 and the hook is delivered
 * again. For {@link DropHook} the response is 200.
 */
export function pushedHooks(client: Pick<PlatformClient, "hooks">, handler: HookHandler): AppHandler {
  const secrets = new PushSecret(client);
  return async ({ request }) => {
    const body = await readBody(request);
    const { headers } = request;
    try {
      await handler(await secrets.verify((secret) => verifyPush(secret, { headers, body })));
    } catch (error) {
      if (error instanceof PushSignatureError) throw new HttpError(401, error.message);
      if (!(error instanceof DropHook)) throw error;
    }
    return { json: { ok: true } };
  };
}

/** The app's secret, fetched on first use and again when a signature does not match. */
class PushSecret {
  readonly #client: Pick<PlatformClient, "hooks">;
  #secret: Promise<string> | undefined;
  #askedAt = 0;

  constructor(client: Pick<PlatformClient, "hooks">) {
    this.#client = client;
  }

  async verify<T>(check: (secret: string) => T): Promise<T> {
    this.#secret ??= this.#ask();
    try {
      return check(await this.#secret);
    } catch (error) {
      if (!(error instanceof PushSignatureError) || performance.now() - this.#askedAt < secretAgeMs) throw error;
      this.#secret = this.#ask();
      return check(await this.#secret);
    }
  }

  #ask(): Promise<string> {
    this.#askedAt = performance.now();
    const secret = this.#client.hooks.getPushSecret({}).then((answer) => answer.secret);
    secret.catch(() => {
      this.#secret = undefined;
    });
    return secret;
  }
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new HttpError(413, `the body has more than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
