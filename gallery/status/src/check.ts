import type { Services } from "./services.ts";

const timeoutMs = 5_000;

/** A token, and the only origin that gets it: `https://api.example.com`. */
export interface Token {
  readonly origin: string | undefined;
  readonly value: string | undefined;
}

/** Checks all services at once, and removes checks that are too old. Returns the number of those that are down. */
export async function checkAll(services: Services, token: Token): Promise<{ readonly checked: number; readonly down: number }> {
  const results = await Promise.all((await services.list()).map(({ id, url }) => checkOne(services, id, url, token)));
  await services.removeOld();
  return { checked: results.length, down: results.filter((isUp) => !isUp).length };
}

/** Checks a service and stores the result. Returns whether it is up. */
export async function checkOne(services: Services, id: number, url: string, token: Token): Promise<boolean> {
  const started = performance.now();
  const problem = await problemOf(url, token);
  await services.store(id, Math.round(performance.now() - started), problem);
  return problem === null;
}

/** Returns why a service is down. It is up if it responds in time with a status below 400. Its body is not read, and a redirection is not followed. */
async function problemOf(url: string, { origin, value }: Token): Promise<string | null> {
  const isTrusted = origin !== undefined && value !== undefined && new URL(url).origin === origin;
  const headers = isTrusted ? { authorization: `Bearer ${value}` } : {};
  try {
    const response = await fetch(url, { redirect: "manual", headers, signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return response.status < 400 ? null : `status ${response.status}`;
  } catch (error) {
    const { name, cause } = error as {
      readonly name: string;
      readonly cause?: { readonly code?: string; readonly message?: string };
    };
    if (name === "TimeoutError") return `no response within ${timeoutMs / 1_000} s`;
    return `no connection (${cause?.code ?? cause?.message ?? name})`.slice(0, 200);
  }
}
