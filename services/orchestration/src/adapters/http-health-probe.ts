import { upstreamUrl } from "@appserver/contracts/patterns";
import { requestFailure } from "@appserver/kernel";
import type { HealthProbe } from "../ports.ts";

/** Sends one GET and discards the response body. */
export class HttpHealthProbe implements HealthProbe {
  async problem(endpoint: string, path: string, timeoutMs: number): Promise<string | undefined> {
    try {
      const response = await fetch(upstreamUrl(endpoint, path), { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
      await response.body?.cancel();
      return response.status >= 200 && response.status < 400 ? undefined : `GET ${path} returned ${response.status}`;
    } catch (error) {
      return `GET ${path}: ${requestFailure(error, timeoutMs)}`;
    }
  }
}
