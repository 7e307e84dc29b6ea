import { eventually } from "./eventually.ts";

/**
 * Waits until the server proxies calls to both sample apps. It receives their installation as events, a short time after they
 * are RUNNING.
 */
export async function untilExamplesServed(httpUrl: string): Promise<void> {
  for (const name of ["com.example.notes", "com.example.clock"]) {
    const isServed = async (): Promise<boolean> => {
      const { status, body } = await fetch(`${httpUrl}/api/apps/${name}/ping`);
      await body?.cancel();
      return status === 200;
    };
    await eventually(isServed, undefined, { timeoutMs: 120_000, what: `${name} is served` });
  }
}
