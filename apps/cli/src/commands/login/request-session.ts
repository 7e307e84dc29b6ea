import type { IncomingMessage } from "node:http";
import { hostname } from "node:os";
import { type DeviceAuthorization, type DeviceToken, devicePaths, SessionKey } from "@appserver/contracts/command-line";
import type { GlobalOptions } from "../../global-options.ts";
import { readJson, readText, send } from "../../http.ts";
import { Late, Refusal, Unreachable } from "../../refusal.ts";
import { sleep } from "../../sleep.ts";

/** RFC 8628 §3.5: what is added to the interval when the platform is polled too often, or does not respond. */
const slowerBySeconds = 5;
/** Of the platform's times, which are its own choice. */
const maxInterval = 60;
const maxLifetime = 3_600;

interface Poll {
  readonly options: GlobalOptions;
  readonly key: SessionKey;
  readonly deviceCode: string;
}

/**
 * Requests a session that a user gives in a browser on another device (docs/interface/permissions.md#device-login).
 *
 * @param show - Receives what the user must do there.
 * @param wait - Waits for milliseconds.
 * @returns A bearer token. Rejects if the user denies it, or the code has expired.
 */
export async function requestSession(
  given: GlobalOptions,
  show: (text: string) => void,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<string> {
  // A session of before is not for this.
  const { token: _, ...options } = given;
  const key = new SessionKey();
  const body = JSON.stringify({ key: key.publicKey, device: hostname() || "unknown" });
  const authorization = await readJson<DeviceAuthorization>(options, devicePaths.code, body);
  show(instructions(authorization));
  const poll = { options, key, deviceCode: authorization.device_code };
  let interval = bounded(authorization.interval, maxInterval);
  const lifetime = bounded(authorization.expires_in, maxLifetime);
  for (let waited = 0; waited < lifetime; waited += interval) {
    await wait(interval * 1_000);
    const outcome = await sendPoll(poll);
    if (typeof outcome === "object") return outcome.token;
    if (outcome === "slower") interval = Math.min(maxInterval, interval + slowerBySeconds);
  }
  throw expired();
}

function instructions(authorization: DeviceAuthorization): string {
  const { verification_uri: page, verification_uri_complete: whole, user_code: code, expires_in: seconds } = authorization;
  return [
    `Open this address in a browser, on any device, within ${Math.ceil(seconds / 60)} minutes:\n\n  ${page}\n`,
    `Sign in there, and type the code ${code}. With the code in the address:\n\n  ${whole}\n`,
  ].join("\n");
}

/** Returns whether to poll on, and how, if there is no token yet. */
async function sendPoll({ options, key, deviceCode }: Poll): Promise<{ readonly token: string } | "again" | "slower"> {
  const body = JSON.stringify({ device_code: deviceCode });
  let response: IncomingMessage;
  let text: string;
  try {
    response = await send(options, { path: devicePaths.token, body });
    text = await readText(options, response);
  } catch (error) {
    if (error instanceof Unreachable || error instanceof Late) return "slower";
    throw error;
  }
  const { statusCode: status = 0 } = response;
  if (status === 200) return { token: opened(key, text) };
  if (status === 429 || status >= 500) return "slower";
  return outcomeOf(status, text);
}

function opened(key: SessionKey, text: string): string {
  try {
    return key.open((JSON.parse(text) as DeviceToken).session);
  } catch (cause) {
    throw new Error("the platform sent no session for this request: run `appctl login --device` again", { cause });
  }
}

function outcomeOf(status: number, text: string): "again" | "slower" {
  switch (errorOf(text)) {
    case "authorization_pending":
      return "again";
    case "slow_down":
      return "slower";
    case "access_denied":
      throw new Error("the session was denied in the browser: nothing is stored");
    case "expired_token":
      throw expired();
    default:
      throw Refusal.ofBody(status, text);
  }
}

function errorOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly error?: unknown }).error;
  } catch {
    return undefined;
  }
}

function expired(): Error {
  return new Error("the code has expired: run `appctl login --device` again");
}

/** Returns a number of seconds between 1 and the limit. */
function bounded(seconds: number, limit: number): number {
  return Math.min(Math.max(Number(seconds) || limit, 1), limit);
}
