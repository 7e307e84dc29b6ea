import type { HealthProber } from "../ports.ts";

/** Probes over HTTP. Redirects are not followed: an upstream must not send the platform elsewhere. */
export class FetchHealthProber implements HealthProber {
  async probe(url: string, timeoutMs: number): Promise<boolean> {
    try {
      const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
      await response.body?.cancel();
      return response.status >= 200 && response.status < 400;
    } catch {
      return false;
    }
  }
}
