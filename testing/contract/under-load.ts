import { type PlatformUnderTest, send } from "@appserver/testing/kit";

/** Requests that are sent at the same time. */
const callers = 4;

/**
 * Sends requests to the path until `work` has ended. Returns the number of requests, and the statuses or errors of those that did not
 * get 200.
 */
export async function underLoad(
  { httpUrl }: PlatformUnderTest,
  path: string,
  work: () => Promise<unknown>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly count: number; readonly failures: readonly string[] }> {
  let isOver = false;
  let count = 0;
  const failures: string[] = [];
  const call = async (): Promise<void> => {
    while (!isOver) {
      const { status } = await send(httpUrl, path, { headers }).catch((error: unknown) => ({ status: String(error) }));
      count += 1;
      if (status !== 200) failures.push(String(status));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const calling = Array.from({ length: callers }, call);
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(calling);
  }
  return { count, failures };
}
