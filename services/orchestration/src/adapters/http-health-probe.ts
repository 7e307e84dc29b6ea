import type { HealthProbe } from "../ports.ts";

/** One GET, its body thrown away. */
export class HttpHealthProbe implements HealthProbe {
  async isHealthy(endpoint: string, path: string, timeoutMs: number): Promise<boolean> {
    const url = URL.parse(endpoint + path);
    // A path such as `@elsewhere/` would make the endpoint's host a user name, and the app choose whom we call.
    if (!url || url.origin !== URL.parse(endpoint)?.origin) return false;
    try {
      const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
      await response.body?.cancel();
      return response.status >= 200 && response.status < 400;
    } catch {
      return false;
    }
  }
}
