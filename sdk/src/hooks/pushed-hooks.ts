import type { IncomingMessage } from "node:http";
import type { PlatformClient } from "../platform-client.ts";
import { type AppHandler, HttpError } from "../serve-app.ts";
import { DropHook, type HookHandler } from "./hook.ts";
import { PushSignatureError, verifyPush } from "./verify-push.ts";

/** Data of 256 KiB and what is around it. */
const maxBodyBytes = 300 * 1024;
/** Between two looks at the secret: forged calls must not become calls to the platform. */
const secretAgeMs = 60_000;

/**
 * A route that takes the app's hooks where the platform posts them: `"POST /hooks": pushedHooks(platform, handler)`. It
 * checks the signature; the secret comes from the platform. A rejection of the handler is answered 500, and the hook comes
 * again; {@link DropHook} is answered 200.
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

/** The app's secret, asked for when it is needed, and again when it no longer fits. */
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
